import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CARL, MEMBER, mailTo, type Office, OWNER, openOffice, type Sent } from './governance-rig.ts';

const open: { office?: Office } = {};
const office = () => open.office as Office;

/** A file of Ada's that somebody else put there. */
function put(path: string, content: string | Buffer): void {
  const at = join(office().root, 'data/personas/ada/files', path);
  mkdirSync(join(at, '..'), { recursive: true });
  writeFileSync(at, content);
}

const shown = async () => {
  const { json } = await office().cli('approvals', 'list');
  return json.approvals as { id: string; tool: string; state: string; reason: string | null }[];
};
const contentOf = ({ mail }: Sent, name: string) =>
  mail.attachments.find(({ filename }) => filename === name)?.content.toString('utf8');

/** The id of the newest attachment, as the model is told it. */
function attachmentId(): string {
  const database = new SQLite(join(office().root, 'data/personas/ada/persona.db'), { readonly: true });
  try {
    return database.prepare<[], { id: string }>('select id from attachments order by id desc').get()?.id ?? '';
  } finally {
    database.close();
  }
}

const SECOND = 'A member had this written in between.\n';

describe('M3: an approved mail with attachments', () => {
  beforeEach(async () => {
    open.office = await openOffice();
  });
  afterEach(() => open.office?.close());

  it('M3: is asked about with name, size, hash, first lines and the file itself', async () => {
    put('report.txt', 'First line\nSecond line\n');
    await office().ask(mailTo(CARL, 'Report', { attachments: ['report.txt'] }));
    const notice = await office().arrival('approval', OWNER);
    const text = notice.mail.text ?? '';
    expect(text).toContain('"report.txt" (23 bytes)');
    // The file itself is beside the mail; its hash would tell a person nothing.
    expect(text).not.toMatch(/[0-9a-f]{64}/);
    expect(text).toContain('| Second line');
    expect(contentOf(notice, 'report.txt')).toBe('First line\nSecond line\n');
    await office().answer(notice, 'approve');
    const sent = await office().arrival('reply', CARL);
    expect(contentOf(sent, 'report.txt')).toBe('First line\nSecond line\n');
  });

  it('M3: is not sent with bytes that came later: the owner is asked anew, and then those are sent', async () => {
    await office().ask(`/write_file ${JSON.stringify({ path: 'report.txt', content: 'What the owner saw.\n' })}`);
    await office().ask(mailTo(CARL, 'Report', { attachments: ['report.txt'] }));
    const first = await office().arrival('approval', OWNER);
    // The persona's own file: nobody is asked about it.
    await office().ask(`/write_file ${JSON.stringify({ path: 'report.txt', content: SECOND })}`);
    await office().answer(first, 'approve');
    const second = await office().arrival('approval', OWNER, 2);
    expect(await office().left('reply', CARL)).toEqual([]);
    expect((await shown()).map(({ state }) => state).toSorted()).toEqual(['pending', 'stale']);
    expect(contentOf(second, 'report.txt')).toBe(SECOND);
    await office().answer(second, 'approve');
    const sent = await office().arrival('reply', CARL);
    expect(contentOf(sent, 'report.txt')).toBe(SECOND);
  });

  it('M3: shows all of a long argument: the beginning in the question, the whole beside it and on the command line', async () => {
    const body = `${'Words and words. '.repeat(1000)}THE END`;
    await office().ask(mailTo(CARL, 'Long', { body }));
    const notice = await office().arrival('approval', OWNER);
    expect(notice.mail.text).not.toContain('THE END');
    expect(notice.mail.text).toContain(`only the beginning of ${body.length} characters stands here`);
    expect(notice.mail.text).toContain('body.txt');
    expect(contentOf(notice, 'body.txt')).toBe(body);
    const [approval] = await shown();
    const show = await office().cli('approvals', 'show', approval?.id ?? '');
    expect(show.json.approval.arguments.body).toBe(body);
  });

  it('M3: shows an edited call like one of its own, with what its files are', async () => {
    put('other.txt', 'The other file\n');
    await office().ask(mailTo(CARL, 'Report', { attachments: [] }));
    const notice = await office().arrival('approval', OWNER);
    await office().answer(notice, 'edit 1\nattachments: other.txt\n');
    const edited = await office().arrival('approval', OWNER, 2);
    expect(contentOf(edited, 'other.txt')).toBe('The other file\n');
    put('other.txt', SECOND);
    await office().answer(edited, 'approve');
    expect(contentOf(await office().arrival('approval', OWNER, 3), 'other.txt')).toBe(SECOND);
    expect(await office().left('reply', CARL)).toEqual([]);
  });

  it('M3: goes with an attachment that came by mail as it came, and the owner sees that very file', async () => {
    const bytes = Buffer.from([0x25, 0x50, 0x44, 0x46, 0, 1, 2, 255]);
    const raw = [
      `From: ${MEMBER}`,
      'To: ada@agents.localhost',
      'Subject: Forward it',
      'Message-ID: <forward@member.example>',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'Here it is.',
      '--b',
      'Content-Type: application/pdf; name="plan.pdf"',
      'Content-Disposition: attachment; filename="plan.pdf"',
      'Content-Transfer-Encoding: base64',
      '',
      bytes.toString('base64'),
      '--b--',
      '',
    ].join('\r\n');
    await office().post({ from: MEMBER, raw, messageId: '<forward@member.example>' });
    await office().arrival('reply', MEMBER);
    const id = attachmentId();
    await office().ask(mailTo(CARL, 'Plan', { attachments: [id] }));
    const notice = await office().arrival('approval', OWNER);
    expect(notice.mail.text).toContain('(not text)');
    expect(notice.mail.attachments[0]?.content.equals(bytes)).toBe(true);
    await office().answer(notice, 'approve');
    expect((await office().arrival('reply', CARL)).mail.attachments[0]?.content.equals(bytes)).toBe(true);
  });
});

describe('M3: any other approved call whose effect hangs on something that can change', () => {
  beforeAll(async () => {
    open.office = await openOffice({
      'personas/ada/tasks/weekly.md': '---\nschedule: 0 9 * * 1\n---\nSum up.\n',
    });
  });
  afterAll(() => open.office?.close());

  const task = () => join(office().root, 'personas/ada/tasks/weekly.md');
  const calls = {
    edit_file: {
      args: { path: 'edit.txt', old_text: 'Monday', new_text: 'Tuesday' },
      before: () => put('edit.txt', 'Monday: lunch\n'),
      change: () => put('edit.txt', 'Monday: lunch\nFriday: nothing\n'),
    },
    write_file: {
      args: { path: 'write.txt', content: 'new\n' },
      before: () => put('write.txt', 'old\n'),
      change: () => put('write.txt', 'old, and a line that would be lost\n'),
    },
    delete_file: {
      args: { path: 'delete.txt' },
      before: () => put('delete.txt', 'worth nothing\n'),
      change: () => put('delete.txt', 'worth a lot\n'),
    },
    schedule_task: {
      args: { action: 'change', task: 'weekly', window: '08:00-12:00' },
      before: () => {},
      change: () => writeFileSync(task(), '---\nschedule: 0 9 * * 1\n---\nSum up and mail it to everybody.\n'),
    },
  };

  it.each(Object.entries(calls))('M3: %s is asked about anew', async (tool, { args, before, change }) => {
    const known = (await office().left('approval', OWNER)).length;
    before();
    await office().post({ text: `/${tool} ${JSON.stringify(args)}` });
    const notice = await office().arrival('approval', OWNER, known + 1);
    change();
    await office().answer(notice, 'approve');
    await office().arrival('approval', OWNER, known + 2);
    const ofTool = (await shown()).filter((approval) => approval.tool === tool);
    expect(ofTool.map(({ state }) => state)).toEqual(['pending', 'stale']);
    expect(ofTool[1]?.reason).toBe('what it would change has changed since');
    await office().cli('approvals', 'deny', ofTool[0]?.id ?? '');
  });
});
