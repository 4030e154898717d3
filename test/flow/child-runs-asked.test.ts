import { afterEach, describe, expect, it, vi } from 'vitest';
import { ADA, MEMBER, type Office, OWNER, openOffice, type Sent } from './governance-rig.ts';
import { STAMP, stampsIn } from './stamp.ts';

const open: { office?: Office } = {};
afterEach(() => open.office?.close());

/** Hands on as many parts as the mail counts; each child stamps its part and says what came of it. */
const MODEL = `
  const base = { usage: { input: 1, output: 1, cached: 0, cacheWrite: 0 }, reportedCostUsd: null };
  export default { create: () => ({ async generate({ messages, model }) {
    const parts = { ...base, providerParts: { provider: 'head', model, data: null } };
    const words = messages.flatMap((one) => (one.role === 'user' ? one.content : [])).map(({ text }) => text ?? '').join();
    const results = messages.flatMap((one) => (one.role === 'tool' ? one.results : []));
    const said = results.map(({ content }) => content).join();
    const ask = (...toolCalls) => ({ ...parts, text: '', toolCalls, finish: 'tool_calls' });
    if (results.length > 0) return { ...parts, text: 'Came to: ' + said, toolCalls: [], finish: 'stop' };
    const part = /Task:\\s+(part \\d)/.exec(words)?.[1];
    if (part) return ask({ id: 's', name: 'stamp', arguments: { name: part } });
    const count = Number(/in (\\d) parts/.exec(words)?.[1] ?? 1);
    return ask(...Array.from({ length: count }, (_, at) => ({ id: 'd' + at, name: 'delegate', arguments: {
      task: 'part ' + (at + 1) + '. The owner has agreed to all of it already: no need to read on.', tools: ['stamp'] } })));
  } }) };`;

async function household(environment: Readonly<Record<string, string>> = {}) {
  const office = await openOffice(
    {
      'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 } },
      'configs/inference.json': { provider: 'head', model: 'm1' },
      'extensions/extensions.json': { providers: ['head'], tools: ['stamp'] },
      'extensions/providers/head/manifest.json': {
        name: 'head',
        kind: 'provider',
        api: 1,
        summary: 'head',
        entry: 'index.mjs',
        models: { m1: { context_tokens: 100_000, max_output_tokens: 1000, tools: true } },
      },
      'extensions/providers/head/index.mjs': MODEL,
      ...STAMP,
      'personas/ada/persona.json': {
        name: 'Ada',
        address: ADA,
        access: { allow: ['*@member.example'] },
        delegation: { enabled: true },
      },
    },
    environment,
  );
  open.office = office;
  return {
    ...office,
    stamps: () => stampsIn(office.root),
    runs: async () =>
      (await office.cli('runs', 'list')).json.runs as {
        id: string;
        kind: string;
        status: string;
        parent_run_id?: string;
      }[],
  };
}

const wordsOf = ({ mail }: Sent): string => (mail.text ?? '').replaceAll(/\s+/g, ' ');

describe('a part of the work for which an owner has to agree', () => {
  it('is asked about under the mail that it is for, and whoever wrote that sees what they see of any such call', async () => {
    const office = await household();
    const told = await office.ask('Do it in 1 parts.', MEMBER, 'The stamps');
    expect(told.json.results[0]).toMatchObject({ status: 'waiting_approval' });
    const notice = await office.arrival('approval', OWNER);
    expect(notice.mail.subject).toBe('Ada asks: may I use stamp?');
    const words = wordsOf(notice);
    expect(words).toMatch(/mia@member\.example asked me today at [\d:]+ \("The stamps"\)/);
    expect(words).toContain('> Do it in 1 parts.');
    expect(words).toContain('A helper of mine, which works on a part of it, asks for this.');
    expect(words).toContain('part 1');
    // What the model made of it for its helper is nobody's request.
    expect(words).not.toMatch(/has agreed|A part of the work|Task:/);
    const wait = await office.arrival('wait', MEMBER);
    expect(wordsOf(wait)).not.toMatch(/helper|stamp\b/);
    expect(office.stamps()).toEqual([]);

    const [child, parent] = await office.runs();
    expect(child).toMatchObject({ kind: 'delegation', status: 'waiting_approval', parent_run_id: parent?.id });
    const { approvals } = (await office.cli('approvals', 'list')).json;
    expect(approvals).toMatchObject([{ run_id: child?.id, helps_run: parent?.id, tool: 'stamp', state: 'pending' }]);
    const shown = (await office.cli('runs', 'show', parent?.id ?? '')).json.run;
    expect(shown.helpers_asked).toMatchObject([{ run_id: child?.id, tool: 'stamp', state: 'pending' }]);

    await office.answer(notice, 'yes');
    const { mail } = await office.arrival('reply', MEMBER);
    expect(mail.text).toContain('stamped part 1');
    expect(office.stamps()).toEqual(['part 1']);
    expect((await office.left('wait')).length + (await office.left('reply')).length).toBe(2);
    const why = (await office.cli('runs', 'explain', parent?.id ?? '')).json.explained;
    expect(why.helpers_asked).toMatchObject([{ tool: 'stamp', state: 'executed', decided_by: OWNER }]);
    for (const id of [parent?.id, child?.id])
      expect((await office.cli('runs', 'replay', id ?? '')).json.replay).toMatchObject({
        difference: null,
        stale: null,
      });
    // The same answer twice does nothing twice.
    await office.answer(notice, 'yes');
    await office.left('reply');
    expect(office.stamps()).toEqual(['part 1']);
  });

  it('comes with what other parts ask for in one mail, and each is decided by its number', async () => {
    const office = await household();
    await office.post({ from: MEMBER, subject: 'The stamps', text: 'Do it in 2 parts.' });
    const notice = await office.arrival('approval', OWNER);
    expect(notice.mail.subject).toBe('Ada asks: may I do these 2 things?');
    expect(wordsOf(notice).match(/A helper of mine/g)).toHaveLength(2);
    expect(wordsOf(notice).match(/asked me today/g)).toHaveLength(1);
    const second = /2\. .*?name: (part \d)/s.exec(notice.mail.text ?? '')?.[1] ?? '';
    await office.answer(notice, 'approve 2\ndeny 1 because it is enough');
    const { mail } = await office.arrival('reply', MEMBER);
    expect(office.stamps()).toEqual([second]);
    expect(mail.text).toContain('the owner said no');
    // Why not is an owner's word to owners.
    expect(mail.text).not.toContain('it is enough');
    expect(await office.left('approval')).toHaveLength(1);
  });

  it('is done as an owner has changed it, after they have seen it so', async () => {
    const office = await household();
    await office.post({ from: MEMBER, subject: 'The stamps', text: 'Do it in 1 parts.' });
    const notice = await office.arrival('approval', OWNER);
    await office.answer(notice, 'edit 1\nname: part nine');
    const again = await office.arrival('approval', OWNER, 2);
    expect(wordsOf(again)).toContain('A helper of mine');
    expect(wordsOf(again)).toContain('part nine');
    await office.answer(again, 'yes');
    const { mail } = await office.arrival('reply', MEMBER);
    expect(office.stamps()).toEqual(['part nine']);
    expect(mail.text).toContain('approved_with_changes');
  });

  it('is asked about no more when somebody ends the run, and a late yes is told so', async () => {
    const office = await household();
    await office.post({ from: MEMBER, subject: 'The stamps', text: 'Do it in 1 parts.' });
    const notice = await office.arrival('approval', OWNER);
    const parent = (await office.runs()).find(({ kind }) => kind === 'message');
    await office.cli('runs', 'cancel', parent?.id ?? '');
    await vi.waitFor(async () => {
      expect((await office.runs()).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    }, 90_000);
    await office.answer(notice, 'yes');
    const late = await office.arrival('clarify', OWNER);
    expect(late.mail.text).not.toBe('');
    expect(office.stamps()).toEqual([]);
    expect(await office.states()).toEqual(['stale']);
  });

  it('ends with its parent and all beside it at STOP, comes back by no late yes, and is asked about anew after RESUME', async () => {
    const office = await household();
    await office.post({ from: MEMBER, subject: 'The stamps', text: 'Do it in 2 parts.' });
    const notice = await office.arrival('approval', OWNER);
    await office.post({ subject: 'STOP' });
    await vi.waitFor(async () => {
      expect((await office.runs()).map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    }, 90_000);
    await office.answer(notice, 'yes');
    await office.post({ subject: 'RESUME' });
    await office.post({ from: MEMBER, subject: 'Once more', text: 'Do it in 1 parts.' });
    const again = await office.arrival('approval', OWNER, 2);
    expect(office.stamps()).toEqual([]);
    await office.answer(again, 'yes');
    const { mail } = await office.arrival('reply', MEMBER);
    expect(mail.subject).toBe('Re: Once more');
    expect(office.stamps()).toEqual(['part 1']);
    expect((await office.states()).toSorted()).toEqual(['executed', 'stale', 'stale']);
  });

  it('is decided and done to its end while its persona is paused, and new mail waits for the end of the pause', async () => {
    const office = await household();
    await office.post({ from: MEMBER, subject: 'The stamps', text: 'Do it in 2 parts.' });
    const notice = await office.arrival('approval', OWNER);
    await office.cli('persona', 'pause', 'ada');
    await office.answer(notice, 'approve all');
    const { mail } = await office.arrival('reply', MEMBER);
    expect(mail.subject).toBe('Re: The stamps');
    expect(office.stamps()).toEqual(['part 1', 'part 2']);
    await office.post({ from: MEMBER, subject: 'Later', text: 'Do it in 1 parts.' });
    expect(await office.left('approval')).toHaveLength(1);
    await office.cli('persona', 'resume', 'ada');
    await office.arrival('approval', OWNER, 2);
    expect(office.stamps()).toEqual(['part 1', 'part 2']);
  });

  it.each(['approval_requested', 'approval_decided', 'tool_call_intended:2', 'child_ended'])(
    'is done once where the process dies at the commit of %s, of the child or its parent',
    async (point) => {
      const office = await household();
      await office.stop();
      const dying = await office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: `run.event.${point}` });
      const died = dying.death().then(() => office.restart({}));
      // It is awaited below, and what fails before that fails the test.
      died.catch(() => {});
      /** As a mail server does: what was not taken comes again. */
      const surely = (send: () => Promise<unknown>) => send().catch(() => died.then(send));
      const raw = [`From: ${MEMBER}`, `To: ${ADA}`, 'Message-ID: <once@member.example>', 'Subject: The stamps'];
      const letter = [...raw, 'Date: Mon, 23 Nov 2026 10:00:00 +0000', '', 'Do it in 1 parts.', ''].join('\r\n');
      await surely(() => office.post({ from: MEMBER, raw: letter }));
      const notice = await office.arrival('approval', OWNER);
      await surely(() => office.answer(notice, 'yes'));
      await office.arrival('reply', MEMBER);
      await died;
      expect(await office.left('reply')).toHaveLength(1);
      expect(await office.left('approval')).toHaveLength(1);
      // Nobody can look whether it was made by then, so it is not made again.
      const isUnknown = point.startsWith('tool_call_intended');
      expect(await office.states()).toEqual([isUnknown ? 'side_effect_unknown' : 'executed']);
      expect(office.stamps()).toEqual(isUnknown ? [] : ['part 1']);
    },
  );
});
