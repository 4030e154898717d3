import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRecords } from '../../corpus/console/office.ts';
import { browserAt } from '../../flow/console-rig.ts';

let office: Awaited<ReturnType<typeof openRecords>>;
let owner: ReturnType<typeof browserAt>;
beforeAll(async () => {
  office = await openRecords();
  owner = browserAt(office.url);
  expect(await owner.open(await office.link())).toMatchObject({ status: 303 });
});
afterAll(() => office?.close());

/** What stands between the tags, as a person reads it. */
const read = (html: string): string =>
  (html.split('<main')[1]?.split('</main>')[0] ?? '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ');

async function textOf(path: string): Promise<string> {
  const { status, text } = await owner.get(path);
  expect([path, status]).toEqual([path, 200]);
  return read(text);
}

const SCREENS = [
  ...['/', '/mail', '/approvals', '/runs', '/personas', '/personas/ada', '/tasks', '/people', '/costs', '/system'],
  ...['/mail/33', '/runs/ada/r06', '/approvals/ada/k4', '/tasks/ada/t1', '/people/bob%40linden.example.org'],
];

describe('the screens of an office', () => {
  it.each(SCREENS)('%s: no time of a machine, no id and no name of a code', async (path) => {
    const text = (await textOf(path)).replaceAll(/As a command: .*? Copy the command/g, '');
    expect(text.length).toBeGreaterThan(100);
    expect(text.match(/\d{4}-\d\d-\d\d/g)).toBeNull();
    expect(text.match(/\b(?:ada|ben)\b(?![@/])/g)).toBeNull();
    expect(text.match(/\b(?:ada|ben)\/t\d/g)).toBeNull();
    expect(text.match(/sender not allowed|auth failed|hop limit|unknown recipient|executed/g)).toBeNull();
    expect(text).not.toContain('`');
  });

  it.each(SCREENS)('%s: takes up by itself what changes', async (path) => {
    const { text } = await owner.get(path);
    const [, main = ''] = text.split('<main');
    expect(main.match(/ data-live>/g)).toHaveLength(1);
    // What is typed to narrow a list is never taken away.
    expect(main.split(' data-live>')[1]).not.toContain('aria-label="Filters"');
  });

  it('name each file that a question about several deletions is about', async () => {
    for (const path of ['/', '/approvals', '/approvals/ada/k4'])
      expect(await textOf(path)).toContain('Step 4: May I delete drafts/brief.md?');
  });

  it('lead from Today to each run, task and refused mail that stands there', async () => {
    const { text } = await owner.get('/');
    expect(text).toContain('<a href="/runs/ada/r12">Compare three tenders</a>');
    expect(text).toContain('<a href="/tasks/ben/t5">Unpaid invoices</a>');
    expect(text).toMatch(/<a href="\/mail\/33">Running late/);
    expect(read(text)).toMatch(/to Ada · 26 Nov 2026, \d\d:55 Its sender is on no list\. What to do/);
  });

  it('say of a decision what was asked, and of a task how it is called', async () => {
    expect(await textOf('/approvals')).toMatch(
      /May I send "Petty cash October" to rhea@quist-accounts\.example\.com\? Ben · denied by theo@/,
    );
    expect((await owner.get('/costs')).text).toContain('<a href="/tasks/ada/t1">Week ahead</a>');
    expect(await textOf('/runs/ada/r06')).toContain('approved, done by olga@linden.example.org');
  });

  it('point to the button, where there is one, and not to a file', async () => {
    const text = await textOf('/mail/33');
    expect(text).toContain('let them write to Ada by the button below. This mail is answered then.');
    expect(text).not.toContain('ADDRESS');
  });

  it('name the command that learns what proves senders where nothing proves one', async () => {
    const { text } = await owner.get('/mail?fate=refused&q=URGENT');
    const page = await textOf(/href="(\/mail\/\d+)"/.exec(text)?.[1] ?? '');
    expect(page).toContain('What to do: Nothing proves who wrote it; epistle mailbox test main --send learns and');
    expect(page).toContain('If it is real: then “Take it in after all”.');
    expect(await textOf('/mail/33')).not.toContain('mailbox test');
  });

  it('have beside what Today tells of the button that does it', async () => {
    const { text } = await owner.get('/');
    expect(text).toContain('action="/mail/33/allow"');
    expect(text).toContain('action="/system/mailboxes/quotes/test"');
    expect(text).not.toContain('action="/system/mailboxes/main/test"');
  });

  it('lead from a persona to its settings', async () => {
    const { text } = await owner.get('/personas/ada');
    const [, settings = ''] = /<a href="(\/settings[^"]*)">Its settings/.exec(text) ?? [];
    expect(await textOf(settings)).toContain('usd_per_day');
  });

  it('say in words what a persona may', async () => {
    const text = await textOf('/personas/ada');
    for (const words of ['listing conversations', 'reading a file', 'asking an owner']) expect(text).toContain(words);
  });

  it('show no table without a row', async () => {
    for (const path of SCREENS) expect((await owner.get(path)).text).not.toContain('<tbody></tbody>');
  });
});
