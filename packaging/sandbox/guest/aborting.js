// AbortController and AbortSignal.

import { Event, EventTarget } from 'workbench:events';
import { setTimeout } from 'workbench:timers';

const aborts = new WeakMap();

export class AbortSignal extends EventTarget {
  aborted = false;
  reason = undefined;
  onabort = null;

  constructor() {
    super();
    aborts.set(this, (reason = new DOMException('This operation was aborted', 'AbortError')) => {
      if (this.aborted) return;
      this.aborted = true;
      this.reason = reason;
      this.dispatchEvent(new Event('abort'));
    });
  }

  throwIfAborted() {
    if (this.aborted) throw this.reason;
  }

  static abort(reason) {
    const signal = new AbortSignal();
    aborts.get(signal)(reason);
    return signal;
  }

  static timeout(milliseconds) {
    const signal = new AbortSignal();
    setTimeout(() => aborts.get(signal)(new DOMException('The operation timed out.', 'TimeoutError')), milliseconds);
    return signal;
  }

  static any(signals) {
    const made = new AbortSignal();
    for (const signal of signals) {
      if (signal.aborted) aborts.get(made)(signal.reason);
      else signal.addEventListener('abort', () => aborts.get(made)(signal.reason));
    }
    return made;
  }
}

export class AbortController {
  signal = new AbortSignal();

  abort(reason) {
    aborts.get(this.signal)(reason);
  }
}
