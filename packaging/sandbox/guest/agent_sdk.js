// What files of `bot/tools` import from `@grok/agent-sdk` and its `tools` and `prompt` parts.

import { defineTool as define } from 'workbench:spec';

export function defineTool(given) {
  return define(given);
}

/** Say it with an error: the same call may well succeed in a moment (C9). */
export class TransientError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'TransientError';
  }
}

/** A template literal without its common indentation and without the line breaks beside its quotes. */
export function prompt(strings, ...values) {
  return dedented(strings, values).join('\n');
}

/** The same, a text for each line. */
prompt.lines = (strings, ...values) => dedented(strings, values);

function dedented(strings, values) {
  const parts = typeof strings === 'string' ? [strings] : [...strings];
  // Only what the author indented counts: the lines of a value keep theirs.
  const [first, ...others] = parts.join('\0').split('\n');
  const indents = others.filter((line) => line.trim() !== '').map((line) => line.search(/[^ \t]|$/));
  const common = indents.length ? Math.min(...indents) : 0;
  const lines = [first, ...others.map((line) => line.slice(Math.min(common, line.search(/[^ \t]|$/))))];
  if (lines.length > 1 && lines[0].trim() === '') lines.shift();
  if (lines.length > 1 && lines.at(-1).trim() === '') lines.pop();
  let index = 0;
  return lines.join('\n').replace(/\0/g, () => String(values[index++])).split('\n');
}
