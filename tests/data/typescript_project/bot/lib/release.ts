export type Release = { version: string; by: number };
