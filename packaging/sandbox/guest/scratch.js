// `state.context`: scratch values that the code of one run shares, handed from call to call by the engine (T7).

import { toJson } from 'workbench:returning';

export class Scratch {
  /** `given` holds the engine's values as JSON texts by key. */
  constructor(given) {
    this.values = read(given);
    this.unshared = {};
    this.shared = this.texts();
  }

  /** What the engine does not know yet, as it is told from here on; null when it knows all. */
  changes() {
    const texts = this.texts();
    const set = Object.fromEntries(Object.entries(texts).filter(([key, text]) => this.shared[key] !== text));
    const removed = Object.keys(this.shared).filter((key) => !(key in texts)).sort();
    this.shared = texts;
    return Object.keys(set).length || removed.length ? { set, removed } : null;
  }

  /** The engine's values, after others have run; what changed here meanwhile stays. */
  take(given) {
    const texts = this.texts();
    for (const key of new Set([...Object.keys(this.shared), ...Object.keys(given)])) {
      if (texts[key] !== this.shared[key] || key in this.unshared) continue;
      if (!(key in given)) delete this.values[key];
      else if (given[key] !== texts[key]) this.values[key] = JSON.parse(given[key]);
    }
    this.shared = Object.fromEntries(Object.entries(read(given)).map(([key, value]) => [key, toJson(value)]));
  }

  texts() {
    const texts = {};
    this.unshared = {};
    for (const [key, value] of Object.entries(this.values)) {
      try {
        texts[key] = toJson(value);
      } catch (error) {
        this.unshared[key] = error.message;
      }
    }
    return texts;
  }
}

const read = (given) => Object.fromEntries(Object.entries(given).map(([key, text]) => [key, JSON.parse(text)]));
