import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../flow/command-line.ts';
import { type Block, readPage } from './markdown.ts';

/** The README and the pages behind it, in the order in which a newcomer reads them. */
const blocks = [
  'README.md',
  'docs/workspace.md',
  'docs/personas.md',
  'docs/approvals.md',
  'docs/extensions.md',
].flatMap((name) => readPage(name).blocks);

/** Ids and times are other ones each time. */
const masked = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '<time>')
    .replaceAll(/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} \w{3,4}\b/g, '<day>')
    .replaceAll(/\b\d\d:\d\d\b/g, '<clock>')
    .replaceAll(/\bok-[0-9a-f]{32}\b/g, '<token>')
    .trimEnd();

function blockWith(part: string): { block: Block; next: readonly Block[] } {
  const at = blocks.findIndex(({ text }) => text.includes(part));
  const [block, ...next] = blocks.slice(at < 0 ? blocks.length : at);
  if (!block) throw new Error(`no page has a block with ${part}`);
  return { block, next };
}

/** The words of a command, and its stdin when it has a here-document or a here-string. */
function commandIn({ text }: Block, name: string): { args: string[]; stdin: string } {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`./scripts/epistle ${name}`));
  const [command = '', rest = ''] = (lines[at] ?? '').replace('./scripts/epistle ', '').split(' <<', 2);
  const heredoc = rest.startsWith("'") ? lines.slice(at + 1, lines.indexOf(rest.slice(1, -1))) : null;
  const stdin = heredoc === null ? rest.replace(/^< '(.*)'$/, '$1') : heredoc.join('\n');
  const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
  return { args, stdin: `${stdin}\n` };
}

/** The lines of the one approval notice, without Markdown, indentation and signature. */
function textOfNotice(workspace: string): string[] {
  const folder = join(workspace, 'data/outgoing');
  const mails = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const raw = mails.find((mail) => mail.includes('X-Epistle-Kind: approval')) ?? '';
  const part = raw.split(/quoted-printable\r\n\r\n/)[1] ?? '';
  const bytes = part
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const text = Buffer.from(bytes, 'latin1').toString('utf8').split('\r\n-- \r\n')[0] ?? '';
  return masked(text.replaceAll('**', '')).split(/\r?\n/).filter(Boolean);
}

describe('somebody who follows the README and the pages behind it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-readme-'));
  const workspace = join(folder, 'my-mail');
  const type = async (command: { args: string[]; stdin: string }) =>
    masked((await run([...command.args, '--workspace', workspace], { stdin: command.stdin })).stdout);
  const save = (file: string | undefined, text: string) => {
    const path = join(workspace, file ?? 'nowhere');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };

  beforeAll(async () => {
    const { block } = blockWith('epistle init');
    const { args } = commandIn(block, 'init');
    await run(args.map((word) => (word.endsWith('my-mail') ? workspace : word)));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('gets the answer to the first mail that is shown', async () => {
    const { block, next } = blockWith('--subject "Hello" --wait <<');
    expect(await type(commandIn(block, 'send'))).toBe(masked(next[0]?.text ?? 'no answer is shown'));
  });

  it('has the persona that is shown, and finds nothing wrong with it', async () => {
    const { block, next } = blockWith('"name": "Carla"');
    save(block.file, block.text);
    save(next[0]?.file, next[0]?.text ?? '');
    const commands = blockWith('persona list');
    const shown = [
      await type(commandIn(commands.block, 'persona list')),
      await type(commandIn(commands.block, 'persona validate')),
    ];
    expect(shown.join('\n')).toBe(masked(commands.next[0]?.text ?? 'nothing is shown'));
  });

  it('is asked for approval as shown, and it is done after a yes', async () => {
    save('data/personas/ada/files/plan.txt', 'Monday: lunch\n');
    const { block, next } = blockWith('/edit_file');
    const [waiting, list, question] = next.map(({ text }) => masked(text));
    expect(await type(commandIn(block, 'send'))).toBe(waiting);
    expect(await type(commandIn(block, 'approvals list'))).toBe(list);
    expect(textOfNotice(workspace)).toEqual(
      masked(question ?? '')
        .split('\n')
        .filter(Boolean)
        .slice(1),
    );

    const { stdout } = await run(['approvals', 'list', '--json', '--workspace', workspace]);
    const [approval]: { id: string }[] = JSON.parse(stdout).approvals;
    await type({ args: ['approvals', 'approve', approval?.id ?? ''], stdin: '' });
    // Any command that works the workspace goes on with what waits there.
    await type({ args: ['send', '--to', 'ada@agents.localhost', '--wait'], stdin: 'Thank you.\n' });
    expect(readFileSync(join(workspace, 'data/personas/ada/files/plan.txt'), 'utf8')).toBe('Tuesday: lunch\n');
  });

  it('has the tool that is shown, and it answers what is shown', async () => {
    await type(commandIn(blockWith('extensions new').block, 'extensions new'));
    for (const part of ["from 'epistle/contract'", '"name": "week_number"']) {
      const { block } = blockWith(part);
      save(block.file, block.text);
    }
    const { block, next } = blockWith('extensions check');
    const [checked, answer] = next.map(({ text }) => masked(text));
    expect(await type(commandIn(block, 'extensions check'))).toBe(checked);
    expect(await type(commandIn(block, 'send'))).toContain(answer);
  });
});
