import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { manifestSchema } from '../../../engine/config/extension-schemas.ts';
import { contextSchema } from '../../../engine/config/schemas.ts';

const NAMES = [
  'load-file',
  'standing-rules',
  'knowledge',
  'thread-memory-state',
  'thread-history',
  'invocation-metadata',
  'current-input',
];

describe.each(NAMES)('the resolver %s', (name) => {
  it('has a manifest that the loader accepts, for a file that exists', () => {
    const folder = new URL(`../../../extensions/resolvers/${name}/`, import.meta.url);
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')));
    expect(manifest).toMatchObject({ name, kind: 'resolver' });
    if (manifest.kind === 'resolver') expect(existsSync(new URL(manifest.entry, folder))).toBe(true);
  });
});

describe('the default profiles', () => {
  it('name only resolvers that are here', () => {
    const { thread, task } = contextSchema.parse({}).profiles;
    const named = [...thread, ...task].map((call) => call.replace(/\(.*/, ''));
    expect(new Set(named)).toEqual(new Set(NAMES));
  });
});
