// Evaluated last before the freeze: what zod makes for the first schema of each kind is then in the image already.

import { z } from 'zod';

const text = z.string().min(1).max(9).regex(/x/).trim().describe('x');
const number = z.number().int().min(0).max(9).positive().multipleOf(1);
const object = z.object({ text, number: number.optional() });
const schemas = {
  text,
  number,
  formats: z.tuple([z.email(), z.url(), z.uuid(), z.iso.date(), z.iso.datetime(), z.string().email(), z.string().url(), z.string().uuid(), z.string().datetime()]),
  flag: z.boolean().default(true),
  choice: z.enum({ Calm: 'calm' }).nullable(),
  choices: z.enum(['calm', 'loud']),
  one: z.literal('x'),
  nothing: z.null(),
  any: z.any(),
  unknown: z.unknown(),
  made: z.coerce.number(),
  date: z.coerce.date(),
  list: z.array(object.extend({ kind: z.literal('a') })).min(1).max(9).default([]),
  either: z.union([z.string(), z.number()]),
  told: z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.strictObject({ kind: z.literal('b') })]),
  both: z.intersection(z.object({}), z.looseObject({})),
  record: z.record(z.string(), z.unknown()),
  refined: z.string().refine(() => true).nullish(),
  turned: z.string().transform((value) => value).pipe(z.string()).catch('x'),
  before: z.preprocess((value) => value, z.string()),
  later: z.lazy(() => text),
};
const all = z.strictObject(schemas).partial();
z.toJSONSchema(all, { io: 'input', unrepresentable: 'any', override: () => {} });
for (const value of [{}, { text: 'x', list: [{ text: 'x', kind: 'a' }], told: { kind: 'a' }, record: { a: 1 } }, { text: 1, number: 'x', list: [{}], told: {} }]) {
  all.safeParse(value);
}
