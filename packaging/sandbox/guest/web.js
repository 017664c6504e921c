// What files of tools find without importing it, beyond ECMAScript.

import { AbortController, AbortSignal } from 'workbench:aborting';
import { structuredClone } from 'workbench:cloning';
import { crypto } from 'workbench:crypto';
import { Event, EventTarget } from 'workbench:events';
import { fetch, Headers, Request, Response } from 'workbench:fetch';
import { TextDecoder, TextEncoder } from 'workbench:text_coding';
import { clear, setImmediate, setInterval, setTimeout } from 'workbench:timers';
import { URL, URLSearchParams } from 'workbench:url';

const found = {
  AbortController,
  AbortSignal,
  Event,
  EventTarget,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  clearImmediate: clear,
  clearInterval: clear,
  clearTimeout: clear,
  crypto,
  fetch,
  self: globalThis,
  setImmediate,
  setInterval,
  setTimeout,
  structuredClone,
};
for (const [name, value] of Object.entries(found)) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}
