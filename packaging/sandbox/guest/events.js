// Events, as far as AbortSignal and the libraries around it need them.

export class Event {
  constructor(type, { cancelable = false } = {}) {
    this.type = String(type);
    this.cancelable = cancelable;
    this.defaultPrevented = false;
    this.target = null;
  }

  preventDefault() {
    this.defaultPrevented = this.cancelable;
  }
}

export class EventTarget {
  #listeners = [];

  addEventListener(type, listener, options) {
    if (listener === null || this.#listeners.some((one) => one.type === type && one.listener === listener)) return;
    this.#listeners.push({ type, listener, once: typeof options === 'object' && options?.once === true });
  }

  removeEventListener(type, listener) {
    this.#listeners = this.#listeners.filter((one) => one.type !== type || one.listener !== listener);
  }

  dispatchEvent(event) {
    event.target = this;
    this[`on${event.type}`]?.(event);
    for (const { type, listener, once } of [...this.#listeners]) {
      if (type !== event.type) continue;
      if (once) this.removeEventListener(type, listener);
      if (typeof listener === 'function') listener.call(this, event);
      else listener.handleEvent(event);
    }
    return !event.defaultPrevented;
  }
}
