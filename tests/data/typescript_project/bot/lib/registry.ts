import { prompt } from '@grok/agent-sdk/prompt';
import type { Release } from './release.js';

const TOKEN = process.env.REGISTRY_TOKEN ?? 'none';

export async function publish(version: string): Promise<Release> {
  if (version === '0.0.0') throw new Error(prompt`
    ${version} is no version.
    Write one above it.
  `);
  return { version, by: TOKEN.length };
}
