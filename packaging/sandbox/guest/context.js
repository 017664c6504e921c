// The context that tools of `bot/tools` get beside their input.

import { callView } from 'workbench:call_view';
import { own } from 'workbench:host';

export const makeContext = (identity) => callView(identity, own);
