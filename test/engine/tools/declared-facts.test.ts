import { describe, expect, it } from 'vitest';
import { defineTool, type Json } from '#contract';
import { factsByFields } from '../../../engine/record/result-facts.ts';
import { declaredFacts } from '../../../engine/tools/execute.ts';
import listFiles from '../../../extensions/tools/list_files/index.ts';
import readAttachment from '../../../extensions/tools/read_attachment/index.ts';
import readFile from '../../../extensions/tools/read_file/index.ts';
import resolveRef from '../../../extensions/tools/resolve_ref/index.ts';
import webFetch from '../../../extensions/tools/web_fetch/index.ts';
import writeFile from '../../../extensions/tools/write_file/index.ts';

const plain = {
  description: 'x',
  risk: 'read',
  scope: 'web:read',
  input: { type: 'object' },
  run: () => null,
} as const;
const sha = 'ab'.repeat(32);

describe('what a tool declares of a result', () => {
  it('is its source, its hour and its part', () => {
    const tool = defineTool({
      ...plain,
      provenance: () => ({ path: 'a.csv', sha256: sha }),
      freshness: () => ({ asOf: '2026-11-01T00:00:00Z', forS: 60 }),
      next: () => ({ more: true, at: 3, share: { shown: 5, total: 9, unit: 'rows' } }),
    });
    expect(declaredFacts(tool, { url: 'https://elsewhere.example/', truncated: false })).toEqual({
      source: { path: 'a.csv' },
      hash: { sha256: sha, path: 'a.csv' },
      as_of: '2026-11-01T00:00:00Z',
      fresh_for_s: 60,
      part: { more: true, at: '3', share: { shown: 5, total: 9, unit: 'rows' } },
    });
  });

  it('is left to the names of its fields where it declares nothing, or stumbles', () => {
    expect(declaredFacts(defineTool(plain), { path: 'a' })).toBeNull();
    const stumbling = defineTool({
      ...plain,
      provenance: () => {
        throw new Error('no');
      },
    });
    expect(declaredFacts(stumbling, {})).toBeNull();
  });
});

describe('a bundled tool', () => {
  /** Apart from `at`, which only has to tell one part from another. */
  const known = (facts: ReturnType<typeof factsByFields> | null) =>
    facts && { ...facts, part: { more: facts.part?.more ?? false, share: facts.part?.share ?? null } };

  it.each<[string, { readonly provenance?: unknown }, Json]>([
    [
      'read_file',
      readFile,
      { path: 'a', text: 't', offset: 0, lines: 4, total_lines: 9, next_offset: 4, source_sha256: sha },
    ],
    [
      'list_files',
      listFiles,
      { path: '', entries: [{ path: 'a', type: 'file', bytes: 1 }], total: 3, truncated: true },
    ],
    [
      'read_attachment',
      readAttachment,
      { id: 'a1', name: 'n', type: 't', bytes: 3, text: 'abc', total_chars: 9, next_offset: null },
    ],
    [
      'web_fetch',
      webFetch,
      {
        url: 'https://x.example/',
        status: 200,
        content_type: 'text/plain',
        title: null,
        text: 'abc',
        total_chars: 9,
        truncated: true,
      },
    ],
    ['write_file', writeFile, { path: 'a', bytes: 1, created: true }],
  ])('%s declares what the names of its fields said', (_name, tool, result) => {
    expect(known(declaredFacts(tool as never, result))).toEqual(known(factsByFields(result)));
  });

  it('resolve_ref names its page', () => {
    const page = { ref: 'r', page: 2, pages: 3, total_chars: 9, text: 't', next_page: 3 };
    expect(declaredFacts(resolveRef as never, page)).toMatchObject({
      source: { ref: 'r' },
      part: { more: true, at: '2' },
    });
  });
});
