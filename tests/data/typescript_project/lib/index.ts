export * from './fleet';
export * from './types';
export { hireKey } from './keys.js';
