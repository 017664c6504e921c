// What files of the web's kind expect to find without importing it.

import { fetch, Headers, Request, Response } from 'workbench:fetch';

Object.assign(globalThis, { fetch, Headers, Request, Response });
