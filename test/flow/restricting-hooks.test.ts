import { afterEach, describe, expect, it } from 'vitest';
import { ADA, type Office, OWNER, openOffice } from './governance-rig.ts';

const open: { office?: Office } = {};
afterEach(() => open.office?.close());

const QUIET = `export default {
  narrow: (tool) => (tool.scope === 'web:read' ? 'no web here' : null),
  judge({ tool, arguments: args, run }) {
    if (tool.name === 'write_file' && args.path.startsWith('closed/')) return { verdict: 'deny', reason: 'closed is closed' };
    if (tool.name === 'write_file' && run.tier === 'owner') return { verdict: 'ask', reason: 'also the owner is asked' };
    return null;
  },
};`;

describe('a hook of the workspace that restricts', () => {
  it('leaves tools out, has calls denied and owners asked; the trace says who and why', async () => {
    open.office = await openOffice({
      'extensions/extensions.json': { hooks: ['quiet'] },
      'extensions/hooks/quiet/manifest.json': { name: 'quiet', kind: 'hook', api: 1, summary: 'q', entry: 'index.mjs' },
      'extensions/hooks/quiet/index.mjs': QUIET,
    });
    const { office } = open as { office: Office };
    const explained = async (messageId: string) => (await office.cli('runs', 'explain', messageId)).json.explained;

    const denied = await office.ask(
      '/write_file {"path": "closed/a.txt", "content": "x"}\n/web_fetch {"url": "https://example.com/"}',
      OWNER,
    );
    expect(denied.json.results[0]).toMatchObject({ status: 'done' });
    const first = await explained(denied.json.message_id);
    expect(first.context.narrowed).toEqual([{ tool: 'web_fetch', by: 'hook quiet', reason: 'no web here' }]);
    expect(first.context.tools).not.toContain('web_fetch');
    expect(first.steps[0].calls).toMatchObject([
      { tool: 'write_file', permission: { verdict: 'deny', by: 'hook quiet', reason: 'closed is closed' } },
      { tool: 'web_fetch', permission: { verdict: 'deny', by: 'hook quiet', reason: 'no web here' } },
    ]);

    const asked = await office.ask('/write_file {"path": "open.txt", "content": "x"}', OWNER);
    expect(asked.json.results[0]).toMatchObject({ status: 'waiting_approval' });
    const notice = await office.arrival('approval', OWNER);
    await office.answer(notice, 'approve', { to: notice.mail.replyTo?.value[0]?.address ?? ADA });
    await office.arrival('reply', OWNER, 2);
    const second = await explained(asked.json.message_id);
    expect(second.steps[0].calls[0]).toMatchObject({
      permission: { verdict: 'approve', by: 'hook quiet', reason: 'also the owner is asked' },
      approval: { state: 'executed', decided_by: OWNER },
    });
    for (const { json } of [denied, asked]) {
      expect((await office.cli('runs', 'replay', json.message_id)).json).toMatchObject({ ok: true });
    }
  });
});

const CHECKING = `export default {
  check: ({ text, mail, calls, run }) =>
    calls.length > 0 || run.tier !== 'owner' || !mail.includes('Hello') || !text.includes('Hello')
      ? []
      : [{ code: 'says_hello', message: 'It only says what was said to it.' }],
};`;

const hook = (name: string, code: string) => ({
  [`extensions/hooks/${name}/manifest.json`]: { name, kind: 'hook', api: 1, summary: 'q', entry: 'index.mjs' },
  [`extensions/hooks/${name}/index.mjs`]: code,
});

describe('a hook of the workspace that checks answers', () => {
  it('has the model told once, and then the reader; one that throws costs a limitation', async () => {
    open.office = await openOffice({
      'extensions/extensions.json': { hooks: ['strict', 'broken'] },
      ...hook('strict', CHECKING),
      ...hook('broken', "export default { check() { throw new Error('no database'); } };"),
    });
    const { office } = open as { office: Office };
    const { json } = await office.ask('Hello there.', OWNER);
    expect(json.results[0]).toMatchObject({ status: 'done', outcome: 'partial' });
    const { run } = (await office.cli('runs', 'show', json.results[0].run_id)).json;
    const decisions = run.events.filter(({ type }: { type: string }) => type === 'decision');
    const found = [{ by: 'hook strict', code: 'says_hello', text: 'It only says what was said to it.' }];
    const unchecked = { source: 'hook broken', kind: 'unchecked', detail: 'it failed: no database' };
    expect(decisions.slice(-2).map(({ data }: { data: object }) => data)).toMatchObject([
      { reason: 'gap', about: ['hooks'], hooks: { found }, limitations: [unchecked] },
      { decision: 'FINAL_PARTIAL', reason: 'contract', hooks: { found }, limitations: [unchecked] },
    ]);
    const { mail } = await office.arrival('reply', OWNER);
    expect(mail.text?.replace(/\s+/g, ' ')).toContain('It only says what was said to it');
    expect((await office.cli('runs', 'replay', json.message_id)).json).toMatchObject({ replay: { identical: true } });

    // It calls a tool: nothing speaks against that answer.
    const other = await office.ask('Hello.\n/list_files {}', OWNER);
    expect(other.json.results[0]).toMatchObject({ outcome: 'final' });
  });
});
