import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Script, Turn } from '../../fakes/model-script.ts';
import { eventually } from '../eventually.ts';
import { epistle } from '../gateway.ts';
import { runsEnded } from '../persona-db.ts';
import { MEMBER, type Office, OWNER, openOffice, persona, provider } from './loop-office.ts';

const subjectOf = (lastUser: string): string => /Subject: "([^"]*)"/.exec(lastUser)?.[1] ?? '';

/** What the subject asks for, over and over where it says so; in words once the tools are taken away. */
const obedient: Script = ({ view }): Turn => {
  const asked = subjectOf(view.lastUser);
  if (asked === 'ask back') return { text: 'Which invoice do you mean, the one of March or of April?' };
  if (asked === 'be slow') return { delayMs: 30_000, calls: [{ name: 'search_mail', arguments: { query: 'x' } }] };
  if (asked === 'hold on' && view.results.length === 0)
    return { calls: [{ name: 'hold_on' }, { name: 'hold_on', arguments: { n: 2 } }] };
  if (view.tools.length === 0 || !asked.startsWith('never stop')) return { text: 'As far as I got.' };
  return asked === 'never stop reading'
    ? { calls: [{ name: 'search_mail', arguments: { query: `round ${view.turn}` } }] }
    : { calls: [{ name: 'write_file', arguments: { path: `round-${view.turn}.txt`, content: 'x' } }] };
};

/** Begins, writes down when it is told to stop, and never ends by itself. */
const HOLD_ON = `import { appendFileSync } from 'node:fs';
export default { description: 'Holds on', risk: 'create', scope: 'web:create', input: { type: 'object' },
  run(args, { signal, runId }) {
    appendFileSync(new URL('../../../notes.txt', import.meta.url), 'begun ' + runId + '\\n');
    return new Promise((_, reject) => signal.addEventListener('abort', () => {
      appendFileSync(new URL('../../../notes.txt', import.meta.url), 'told to stop ' + runId + '\\n');
      reject(new Error('stopped'));
    }));
  } };
`;

/** Fails as told until it is told to be well. */
const failing = (how: Turn) => {
  const health = { well: false };
  const script: Script = () => (health.well ? { text: 'From the first.' } : how);
  return { health, script };
};
const busy = failing({ status: 429 });
const cut = failing({ text: 'Half of this never arr', cut: true });

/** Answers at the full length that it was granted, and costs all that was set aside for it. */
const SLOW_MS = 1500;
const busiest = { atOnce: 0, until: [] as number[] };
const spendthrift: Script = ({ body }): Turn => {
  const now = Date.now();
  busiest.until = [...busiest.until.filter((at) => at > now), now + SLOW_MS];
  busiest.atOnce = Math.max(busiest.atOnce, busiest.until.length);
  const { max_tokens = 0, max_completion_tokens = 0 } = body as { max_tokens?: number; max_completion_tokens?: number };
  return { text: 'Long.', delayMs: SLOW_MS, usage: { input: 100, output: max_tokens + max_completion_tokens } };
};

let office: Office;
beforeAll(async () => {
  office = await openOffice(
    {
      obedient,
      busy: busy.script,
      cut: cut.script,
      second: () => ({ text: 'From the second.' }),
      spendthrift,
      down: () => ({ status: 500 }),
      toolless: () => ({ text: 'A guess.' }),
    },
    (baseUrls) => ({
      'configs/inference.json': {
        provider: 'obedient',
        model: 'm',
        run_timeout_s: 12,
        step_caps: { read: 3, mutate: 5 },
      },
      'configs/system.json': {
        console: { enabled: false },
        log: { level: 'warn', format: 'json' },
        dispatch: { max_runs: 64, max_runs_per_persona: 64 },
      },
      'extensions/extensions.json': {
        providers: Object.entries(baseUrls).map(([name, base_url]) => ({ name, config: { base_url } })),
        tools: ['hold_on'],
      },
      'extensions/tools/hold_on/manifest.json': {
        name: 'hold_on',
        kind: 'tool',
        api: 1,
        summary: 'Holds on',
        entry: 'index.js',
        timeout_s: 120,
      },
      'extensions/tools/hold_on/index.js': HOLD_ON,
      ...Object.fromEntries([
        ...['obedient', 'busy', 'cut', 'second', 'down'].map((name) => provider(name)),
        provider('toolless', { tools: false }),
        persona('reader', { tools: { allow: ['search_mail'] } }),
        persona('writer'),
        persona('fallen', { inference: { provider: 'busy', model: 'm', fallback: ['second/m'] } }),
        persona('torn', { inference: { provider: 'cut', model: 'm', fallback: ['second/m'] } }),
        provider('spendthrift', { usd_per_million_tokens: { input: 1, output: 10 } }),
        persona('thrifty', { inference: { provider: 'spendthrift', model: 'm' }, budget: { usd_per_day: 0.3 } }),
        persona('patient'),
        persona('stopped'),
        persona('blunt', { inference: { provider: 'down', model: 'm', fallback: ['toolless/m'] } }),
      ]),
    }),
  );
});
afterAll(() => office?.close());

type Events = Awaited<ReturnType<Office['ask']>>['events'];
/** Turns in which something was executed. */
const stepsIn = (events: Events): number =>
  events.filter(({ type, data }) => type === 'decision' && data.decision === 'EXECUTE_TOOL').length;

describe('a model that calls tools for ever', () => {
  it.each([
    ['V-4', 'reader', 'reading', 3, ''],
    ['V-5', 'writer', 'writing', 5, `\n\nDone: ${[0, 1, 2, 3, 4].map((n) => `saved round-${n}.txt`).join(' · ')}`],
  ])(
    '%s: %s gets exactly its steps, then a reply says what was not finished',
    async (_row, to, what, steps, receipt) => {
      const run = await office.ask(to, `never stop ${what}`);
      expect(run).toMatchObject({ status: 'done', outcome: 'partial', code: 'max_tool_turns', model_calls: steps + 1 });
      expect(stepsIn(run.events)).toBe(steps);
      expect(run.rows.filter(({ event_type }) => event_type === 'tool_result')).toHaveLength(steps);
      expect(run.finals).toHaveLength(1);
      expect(run.text).toBe(
        `This answer is not complete: it took more steps than one mail may take.${receipt}\n\nAs far as I got.`,
      );
    },
  );

  it('A-11: has every decision and its reason on record', async () => {
    const { id } = await office.ask('reader', 'never stop reading');
    const shown = await office.cli('runs', 'show', id);
    const decisions: { decision: string; reason: string }[] = shown.json.run.decisions;
    expect(decisions.map(({ decision, reason }) => `${decision} ${reason}`)).toEqual([
      'CONTINUE_MODEL_LOOP begin',
      ...Array.from({ length: 3 }, (_, n) => [
        'EXECUTE_TOOL allowed',
        `CONTINUE_MODEL_LOOP ${n < 2 ? 'observed' : 'last_call_max_tool_turns'}`,
      ]).flat(),
      'FINAL_PARTIAL max_tool_turns',
    ]);
  });
});

describe('what a model may answer with', () => {
  it('A-4: a question reaches the sender as it is', async () => {
    const run = await office.ask('writer', 'ask back');
    expect(run).toMatchObject({ status: 'done', outcome: 'final', code: null, model_calls: 1 });
    expect(run.text).toBe('Which invoice do you mean, the one of March or of April?');
    expect(run.finals).toHaveLength(1);
  });

  it('A-13: a model that is slower than the run may be ends in a partial reply, and no tool is called', async () => {
    const run = await office.ask('writer', 'be slow');
    expect(run).toMatchObject({ status: 'done', outcome: 'partial', code: 'timeout' });
    expect(run.rows).toEqual([]);
    expect(run.finals).toHaveLength(1);
    expect(run.text).toContain('it took longer than one mail may take');
    expect((await office.status()).cooldowns).toEqual([]);
  });
});

describe('a provider that fails', () => {
  it('V-7: without a fallback that can call tools lets mail wait, and does not answer with a guess', async () => {
    const run = await office.ask('blunt', 'Hello');
    expect(run).toMatchObject({ status: 'queued', deferred_code: 'provider_unavailable', model_calls: 0 });
    expect(run.finals).toEqual([]);
    expect(office.requestsOf('toolless')).toEqual([]);
    const failed = run.events.find(({ type, data }) => type === 'model_call_ended' && !data.ok);
    expect(failed?.data.without_tools).toEqual(['toolless/m']);
    // Nobody goes on asking it: what rests below is what is looked at there.
    expect((await epistle(office.root, ['runs', 'cancel', run.id])).code).toBe(0);
    expect(await office.mailTo('blunt', MEMBER, 1)).toEqual(['Re: Hello']);
  });

  it.each([
    ['busy', 'fallen', busy],
    ['cut', 'torn', cut],
  ])(
    'V-6: %s hands over to the next, rests for a minute over restarts, and is asked again after it',
    async (name, to, { health }) => {
      const asked = () => office.requestsOf(name).length;
      const before = asked();
      health.well = false;
      const first = await office.ask(to, 'One');
      expect(first).toMatchObject({ outcome: 'final', provider: 'second', text: 'From the second.' });
      // A line that broke may be chance, so it is tried once more; a busy one is not.
      const each = name === 'cut' ? 2 : 1;
      expect(asked() - before).toBe(each);
      // What one mail meets may be that mail's; a second one tells.
      expect(await office.ask(to, 'Two')).toMatchObject({ outcome: 'final', provider: 'second' });
      const tries = 2 * each;
      expect(asked() - before).toBe(tries);
      const until = await restsUntil(name);
      expect(until - Date.now()).toBeLessThanOrEqual(60_000);

      // Nearly all of the minute is left, however slow the machine is.
      await office.restart(new Date(until - 58_000).toISOString());
      expect(await office.ask(to, 'Three')).toMatchObject({ outcome: 'final', provider: 'second' });
      expect(asked() - before).toBe(tries);

      await office.restart(new Date(until + 1000).toISOString());
      health.well = true;
      const last = await office.ask(to, 'Four');
      expect(last).toMatchObject({ outcome: 'final', provider: name, text: 'From the first.' });
      expect(asked() - before).toBe(tries + 1);
      expect((await office.status()).cooldowns).toEqual([]);
      expect([first, last].map(({ finals }) => finals.length)).toEqual([1, 1]);
      expect(await office.mailTo(to, MEMBER, 4)).toHaveLength(4);
      await office.restart();
    },
  );
});

describe('fifty mails at once to one budget of the day', () => {
  const LIMIT = 0.3;
  const CALL = { longest: 1000, usdPerToken: 10 / 1_000_000 };

  it('overshoot it by no more than one call may cost, wait for the next day, and tell the owner once', async () => {
    const mails = Array.from({ length: 50 }, (_, n) => n);
    await Promise.all(mails.map((n) => office.post('thrifty', `Mail ${n}`, 'Please.', `m${n}@member.example`)));
    const runs = await runsEnded(office.root, 'thrifty', 50, 90_000);
    const spent = runs.reduce((sum, run) => sum + run.cost_usd, 0);
    const answered = runs.filter(({ outcome }) => outcome === 'final');
    expect(runs).toHaveLength(50);
    expect(spent).toBeLessThanOrEqual(LIMIT + CALL.longest * CALL.usdPerToken);
    // It was the budget that stopped them, not fear of it: less is left than one more call might have cost.
    expect(spent).toBeGreaterThan(LIMIT - 2 * CALL.longest * CALL.usdPerToken);
    expect(answered.length).toBeGreaterThan(20);
    expect(runs.filter(({ deferred_code: code }) => code === 'budget')).toHaveLength(50 - answered.length);
    expect(answered.every(({ model_calls }) => model_calls === 1)).toBe(true);
    expect(busiest.atOnce).toBeGreaterThan(10);
    // Nearly spent, spent, and that this model counts 100 tokens of thousands.
    const told = await office.mailTo('thrifty', OWNER, 3);
    expect(told.filter((subject) => / has spent .* of 0\.30 USD today/.test(subject))).toHaveLength(1);
    const left = office.withDb('thrifty', (db) => db.budgetDays());
    expect(left.map(({ reserved_usd }) => reserved_usd < 1e-9)).toEqual([true]);
  });
});

describe('a run in the middle of a tool call', () => {
  const begin = async (to: string) => {
    const messageId = await office.post(to, 'hold on');
    const runId = await eventually(
      () => /begun (\S+)/.exec(office.noted().slice(office.noted().lastIndexOf('begun')))?.[1],
      (id) => id !== undefined && office.withDb(to, (db) => db.runOf(messageId)?.id === id),
    );
    return { messageId, runId: runId ?? '' };
  };
  const isToldToStop = (runId: string) => eventually(office.noted, (text) => text.includes(`told to stop ${runId}`));

  it('A-26: and cancelled calls nothing any more, its tool is told to stop, and its sender hears of it once', async () => {
    const { messageId, runId } = await begin('patient');
    const cancelled = await office.cli('runs', 'cancel', runId);
    expect(cancelled).toMatchObject({ code: 0, json: { run: { status: 'cancelled', outcome: 'cancelled' } } });
    await isToldToStop(runId);
    expect(await office.mailTo('patient', MEMBER, 1)).toEqual(['Re: hold on']);
    const { text, rows, events, finals, model_calls, ...run } = office.recordOf('patient', messageId);
    expect(run).toMatchObject({ status: 'cancelled', outcome: 'cancelled', code: null });
    expect(model_calls).toBe(1);
    expect(text).toContain('was stopped by the owner before it was finished');
    expect(text).toContain('Not certain: hold on (may or may not have been done; it was not repeated)');
    expect(finals).toHaveLength(1);
    expect(rows.map(({ event_type }) => event_type).toSorted()).toEqual([
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
    ]);
    expect(events.filter(({ type, data }) => type === 'decision' && data.reason === 'cancelled')).toHaveLength(1);
    expect(office.noted().match(new RegExp(`begun ${runId}`, 'g'))).toHaveLength(1);
    expect((await office.cli('runs', 'cancel', runId)).json.error.code).toBe('wrong_state');
    // The thread and the persona are free again.
    expect(await office.ask('patient', 'Hello')).toMatchObject({ outcome: 'final' });
    expect(await office.mailTo('patient', OWNER, 1)).toEqual(['[patient] Was it done? "hold on"']);
  });

  it('A-26: and stopped by its owner is told to stop as well, and its sender hears nothing', async () => {
    const { messageId, runId } = await begin('stopped');
    await office.post('stopped', 'STOP', 'STOP', OWNER);
    await isToldToStop(runId);
    expect(await office.mailTo('stopped', OWNER, 1)).toEqual(['[stopped] Stopped']);
    const { finals, ...run } = office.recordOf('stopped', messageId);
    expect(run).toMatchObject({ status: 'cancelled', outcome: 'cancelled', reply_message_id: null });
    expect(finals).toEqual([]);
  });
});

/** As another process sees it. */
async function restsUntil(name: string): Promise<number> {
  const rest = await expect
    .poll(async () => (await office.status()).cooldowns, { timeout: 90_000 })
    .toContainEqual(expect.objectContaining({ provider: name }))
    .then(() => office.status());
  return Date.parse(rest.cooldowns.find((one: { provider: string }) => one.provider === name).until);
}
