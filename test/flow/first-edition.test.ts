import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { firstEdition, listingOfFirstEdition } from '../extensions/first-edition/set.ts';
import { epistle, type Gateway, startGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const workspaces: TestWorkspace[] = [];
const gateways: Gateway[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.end();
  for (const workspace of workspaces.splice(0)) workspace.remove();
});

const MAIL = [
  'Please do this.',
  '/write_file {"path": "notes/a.txt", "content": "one\\ntwo\\n"}',
  '/read_file {"path": "notes/a.txt"}',
  '/list_files {"path": "notes"}',
  '/search_mail {"query": "nothing"}',
  '/web_fetch {"url": "http://127.0.0.1:1/"}',
  '/read_attachment {"id": "none"}',
].join('\n');

async function answerIn(files: Readonly<Record<string, string | object>>) {
  const workspace = makeWorkspace(files);
  workspaces.push(workspace);
  const gateway = await startGateway(workspace.root);
  gateways.push(gateway);
  const { json } = await epistle(workspace.root, ['send', '--to', 'ada@agents.localhost', '--wait=180'], MAIL);
  return { root: workspace.root, text: String(json.results[0].reply.text) };
}

it('answers a mail with extensions of the first edition as with its own', async () => {
  const old = Object.fromEntries(
    Object.entries(firstEdition()).map(([path, text]) => [`extensions/${path}`, text] as const),
  );
  const first = await answerIn({ ...old, 'extensions/extensions.json': listingOfFirstEdition() });
  const second = await answerIn({});
  const lines = first.text.split('\n').filter((line) => /^[a-z_]+: /.test(line));
  expect(lines.map((line) => line.split(' ', 2).join(' '))).toEqual([
    'write_file: ok',
    'read_file: ok',
    'list_files: ok',
    'search_mail: ok',
    'web_fetch: error',
    'read_attachment: error',
  ]);
  // The bundled tool has come to say more; the old one says what it always said.
  expect(first.text).toContain('search_mail: ok {"count":0,"messages":[]}');
  const withoutSearch = (text: string) =>
    text.replace(/^search_mail: .*$/m, '').replace(' To have a model read your mail, run setup.', '');
  expect(withoutSearch(first.text)).toBe(withoutSearch(second.text));
  const diary = () => readFileSync(join(first.root, 'diary.txt'), 'utf8');
  await vi.waitFor(() => expect(JSON.parse(diary())).toMatchObject({ name: 'run_ended', persona: 'ada' }), 90_000);
});
