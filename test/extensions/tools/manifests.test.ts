import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { manifestSchema } from '../../../engine/config/extension-schemas.ts';
import askOwner from '../../../extensions/tools/ask_owner/index.ts';
import attach from '../../../extensions/tools/attach/index.ts';
import calculate from '../../../extensions/tools/calculate/index.ts';
import deleteFile from '../../../extensions/tools/delete_file/index.ts';
import editFile from '../../../extensions/tools/edit_file/index.ts';
import listFiles from '../../../extensions/tools/list_files/index.ts';
import listThreads from '../../../extensions/tools/list_threads/index.ts';
import proposePlan from '../../../extensions/tools/propose_plan/index.ts';
import queryTable from '../../../extensions/tools/query_table/index.ts';
import readAttachment from '../../../extensions/tools/read_attachment/index.ts';
import readFile from '../../../extensions/tools/read_file/index.ts';
import readMail from '../../../extensions/tools/read_mail/index.ts';
import resolveRef from '../../../extensions/tools/resolve_ref/index.ts';
import searchMail from '../../../extensions/tools/search_mail/index.ts';
import shell from '../../../extensions/tools/shell/index.ts';
import webFetch from '../../../extensions/tools/web_fetch/index.ts';
import webSearch from '../../../extensions/tools/web_search/index.ts';
import writeFile from '../../../extensions/tools/write_file/index.ts';

/** Other people's scripts rely on these arguments; what is not required may be left out by a model. */
const TOOLS = [
  [
    'search_mail',
    searchMail,
    'read',
    ['query', 'from', 'to', 'since', 'before', 'direction', 'has_attachment', 'thread', 'limit'],
    [],
  ],
  ['list_threads', listThreads, 'read', ['since', 'open', 'limit'], []],
  ['read_mail', readMail, 'read', ['message_id', 'part', 'page'], ['message_id']],
  ['read_attachment', readAttachment, 'read', ['id', 'page', 'part', 'offset', 'limit'], ['id']],
  [
    'query_table',
    queryTable,
    'read',
    [
      'source',
      'select',
      'where',
      'match',
      'group_by',
      'order_by',
      'limit',
      'attach_as',
      'offset',
      'table',
      'header',
      'numbers',
      'dates',
    ],
    ['source'],
  ],
  ['calculate', calculate, 'read', ['expression', 'values'], ['expression']],
  ['list_files', listFiles, 'read', ['path', 'recursive'], []],
  ['read_file', readFile, 'read', ['path', 'offset', 'limit'], ['path']],
  ['attach', attach, 'create', ['path'], ['path']],
  ['write_file', writeFile, 'create', ['path', 'content'], ['path', 'content']],
  ['edit_file', editFile, 'create', ['path', 'old_text', 'new_text'], ['path', 'old_text', 'new_text']],
  ['web_fetch', webFetch, 'read', ['url', 'offset'], ['url']],
  ['web_search', webSearch, 'read', ['query', 'limit'], ['query']],
  ['delete_file', deleteFile, 'destructive', ['path'], ['path']],
  ['propose_plan', proposePlan, 'create', ['steps'], ['steps']],
  ['shell', shell, 'destructive', ['command', 'timeout_s'], ['command']],
  ['ask_owner', askOwner, 'create', ['question', 'words'], ['question']],
  ['resolve_ref', resolveRef, 'read', ['ref', 'page'], ['ref']],
] as const;

/** What these do is said in a few words; each word is paid for with every call. */
const BRIEF: ReadonlySet<string> = new Set([
  ...[
    'read_mail',
    'read_attachment',
    'read_file',
    'list_files',
    'write_file',
    'delete_file',
    'web_fetch',
    'resolve_ref',
  ],
]);

describe.each(TOOLS)('%s', (name, tool, risk, names, required) => {
  const folder = new URL(`../../../extensions/tools/${name}/`, import.meta.url);

  it('has a manifest that the loader accepts, for a file that exists', () => {
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')));
    expect(manifest).toMatchObject({ name, kind: 'tool' });
    if (manifest.kind === 'tool') expect(existsSync(new URL(manifest.entry, folder))).toBe(true);
  });

  it('shows a model its arguments, and only those it must give as required', () => {
    const schema = z.toJSONSchema(tool.input, { io: 'input' });
    expect(Object.keys(schema.properties ?? {})).toEqual(names);
    expect(schema.required ?? []).toEqual(required);
    expect(tool.risk).toBe(risk);
  });

  it('describes itself in a few lines', () => {
    expect(tool.description.length).toBeGreaterThan(BRIEF.has(name) ? 20 : 60);
    expect(tool.description.length).toBeLessThan(400);
  });
});

it('none is said to be brief that is not', () => {
  const brief = TOOLS.filter(([, tool]) => tool.description.length <= 60).map(([name]) => name as string);
  expect(new Set(brief)).toEqual(BRIEF);
});
