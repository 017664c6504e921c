// What all define… calls share: a definition is what its author wrote, kept as written, with its kind and line.
//
// Nothing is judged here but the names of the fields: the engine reads a definition and says what is wrong with it.

const MARK = Symbol.for('workbench.definition');

export class DefinitionError extends TypeError {
  constructor(message, code = 'bad-field') {
    super(message);
    this.name = 'DefinitionError';
    this.code = code;
  }
}

/** What a define… call noted of the value that it gave: { kind, stack, older }, or undefined for any other value. */
export const markOf = (value) => (value !== null && typeof value === 'object' ? value[MARK] : undefined);

/** The definition: the author's own object, marked. */
export function made(kind, given, { fields, sayInstead = {}, older = [] }) {
  const name = `define${kind[0].toUpperCase()}${kind.slice(1)}`;
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw new DefinitionError(`${name} takes one object of named fields: ${name}({ … }).`);
  }
  for (const field of Object.keys(given)) {
    if (!fields.includes(field) && !older.includes(field)) throw new DefinitionError(unknown(name, field, fields, sayInstead));
  }
  const definition = { ...given };
  Object.defineProperty(definition, MARK, { value: { kind, stack: new Error().stack } });
  return definition;
}

function unknown(name, field, fields, sayInstead) {
  const message = `${name} has no field '${field}'`;
  if (Object.hasOwn(sayInstead, field)) return `${message}: ${sayInstead[field]}.`;
  const near = nearest(field, fields);
  return near ? `${message}. Did you mean '${near}'?` : `${message}.`;
}

function nearest(word, names) {
  const camel = word.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  const scored = names.map((name) => [distance(camel.toLowerCase(), name.toLowerCase()), name]).sort((a, b) => a[0] - b[0]);
  return scored.length && scored[0][0] <= Math.max(2, word.length / 3) ? scored[0][1] : undefined;
}

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
