import { afterEach, describe, expect, it } from 'vitest';
import { countedUsage } from '../../../engine/models/answers/usage.ts';
import { type HttpAnswer, type HttpServer, startHttpServer } from '../../fakes/http-server.ts';
import { SIZE, someOf } from '../../size.ts';
import { DAY, makeRig, type Rig } from '../harness/rig.ts';
import { besides, FORMS, type Form, saidOf, type Way } from './forms.ts';

const MAILS = SIZE >= 20 ? 30 : 10;

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/** Prices of the rig: 1 and 10 USD per million tokens. */
const usdOf = ({ input, output }: { input: number; output: number }) => (input + output * 10) / 1_000_000;
const TOKENS_PER_SECOND = 100;
const LATE_S = 20;

/** How much is written, how much may be, and for how much a day. */
const sizesOf = ({ isLong }: Form, tokens: number) =>
  isLong
    ? { tokens: tokens * 12, most: 17_000, limit: 0.45, reserved: 0.18 }
    : { tokens, most: 1000, limit: 0.03, reserved: 0.0125 };

interface Played {
  /** What the server has read and written, whatever it said of it. */
  readonly spent: number;
  readonly booked: number;
  readonly limit: number;
  readonly reserved: number;
  readonly asked: number;
  readonly jobs: readonly string[];
}

/** A day's mail to a persona whose model is asked over HTTP, and writes as fast as models do. */
async function play(
  form: Form,
  {
    tokens = 300,
    says,
    isLate = false,
    isCut = false,
    isFailing = false,
  }: { tokens?: number; says: Way; isLate?: boolean; isCut?: boolean; isFailing?: boolean },
): Promise<Played> {
  const sizes = sizesOf(form, tokens);
  const text = 'The total is 42. '.repeat(Math.ceil((sizes.tokens * 4) / 17));
  const spent = { usd: 0, asked: 0, most: sizes.most };
  const server: HttpServer = await startHttpServer(({ path, raw }): HttpAnswer => {
    const aside = besides(path);
    if (aside) return aside;
    // So much of it as there was room and time for.
    const written = text.slice(0, Math.min(spent.most, isLate ? LATE_S * TOKENS_PER_SECOND : spent.most) * 4);
    const used = { input: Math.ceil(raw.length / 4), output: Math.ceil(written.length / 4) };
    spent.usd += usdOf(used);
    spent.asked += 1;
    const said = saidOf(form, says, used);
    const answer = isFailing ? form.fails?.(written, said) : form.answer(written, said, raw.includes('"stream":true'));
    if (answer === undefined) throw new Error(`no failure is known of ${form.name}`);
    return { ...answer, cut: isCut };
  });
  const adapter = await form.adapter(server.baseUrl, sizes.most);
  const rig: Rig = await makeRig({
    persona: { answer: { claims: 'off' }, budget: { usd_per_day: sizes.limit } },
    info: { max_output_tokens: sizes.most },
    security: { loop_guard: { max_fast_replies: 0 } },
    models: async (asked) => {
      const controller = new AbortController();
      spent.most = asked.maxOutputTokens ?? sizes.most;
      await rig.clock.sleep(isLate ? LATE_S * 1000 : (sizes.tokens / TOKENS_PER_SECOND) * 1000);
      const answering = adapter.generate(asked, { signal: controller.signal });
      if (isLate) {
        const before = spent.asked;
        while (spent.asked === before) await new Promise((resolve) => setImmediate(resolve));
        controller.abort(new DOMException('too late', 'TimeoutError'));
      }
      const response = await answering;
      return { ...response, ...countedUsage(asked, response) };
    },
  });
  open.push(rig.close, server.stop);
  for (let mail = 0; mail < MAILS; mail += 1) await rig.deliver({ from: `m${mail}@member.example` });
  const lane = rig.laneOf('first');
  const night = Date.parse('2026-11-21T23:30:00Z');
  for (let idle = 0; idle < 40 && rig.time.now < night; ) {
    await rig.withStore(async (store) => lane.takeUp?.('ada', store, true));
    const [work] = await rig.withStore((store) => lane.claim('ada', store, 1));
    if (work) await rig.withStore((store) => work(store, new AbortController().signal));
    else idle += 1;
    await rig.clock.sleep(work ? 0 : 30 * 60_000);
  }
  const day = await rig.withStore((store) => store.budgetOfDay(DAY));
  const jobs = await rig.withStore((store) => store.dueJobs(Number.MAX_SAFE_INTEGER, 200));
  return {
    spent: spent.usd,
    asked: spent.asked,
    booked: day?.usd ?? 0,
    jobs: jobs.map(({ id }) => id),
    limit: sizes.limit,
    reserved: sizes.reserved,
  };
}

/** No more was spent than may be, by one call at most; and it was spent, not kept back. */
function holds({ spent, booked, limit, reserved, asked }: Played): void {
  expect(spent).toBeLessThanOrEqual(limit + reserved);
  expect(booked).toBeGreaterThan(limit - 2 * reserved);
  expect(asked).toBeGreaterThan(1);
}

const told = ({ jobs }: Played) => jobs.filter((id) => id.startsWith('notice:usage_differs'));

const UNSAID = ['missing', 'null', 'nulls', 'zeros', 'no output'] as const;
const ROWS = FORMS.flatMap((form) => UNSAID.map((way) => [form.name, way, form] as const));
/** What is the same for all forms behind their adapters. */
const FEW = someOf(FORMS, 4);
/** Each form, and each way, in an ordinary run. */
const SOME = SIZE >= 20 ? ROWS : ROWS.filter((_, index) => index % (UNSAID.length + 1) === 0);

describe(`a day's budget, with ${MAILS} mails`, () => {
  it.each(SOME)('holds within one call over %s where usage is: %s', async (_name, way, form) => {
    const played = await play(form, { says: way });
    holds(played);
    expect(told(played)).toEqual([]);
  });

  it.each(FORMS.map((form) => [form.name, form] as const))(
    'holds over %s where usage is far too low, and its owner hears of it once',
    async (_, form) => {
      const played = await play(form, { says: 'far too low', tokens: 900 });
      holds(played);
      expect(told(played)).toEqual(['notice:usage_differs:main/m1']);
    },
  );

  it.each(FEW.map((form) => [form.name, form] as const))(
    'holds over %s where usage of short answers is far too low',
    async (_, form) => holds(await play(form, { says: 'far too low', tokens: 300 })),
  );

  it.each(FEW.map((form) => [form.name, form] as const))(
    'books the vendor’s count over %s where it is the larger one, and its owner hears of it once',
    async (_, form) => {
      const played = await play(form, { says: 'far too high' });
      expect(played.spent).toBeLessThanOrEqual(played.limit);
      expect(played.booked).toBeGreaterThan(form.isLong ? played.spent : played.spent * 1.3);
      expect(told(played)).toEqual(['notice:usage_differs:main/m1']);
    },
  );

  it.each(FORMS.slice(0, 2).map((form) => [form.name, form] as const))(
    'holds over %s where a service that hands the call on says that it cost nothing',
    async (_, form) => holds(await play(form, { says: 'no cost' })),
  );

  it.each(FEW.map((form) => [form.name, form] as const))(
    'holds over %s where answers come too late to be read',
    async (_, form) => holds(await play(form, { says: 'true', isLate: true })),
  );

  it.each(FORMS.map((form) => [form.name, form] as const))(
    'holds over %s where answers break off before the usage',
    async (_, form) => holds(await play(form, { says: 'true', isCut: true })),
  );

  it.each(
    FORMS.filter(({ fails }) => fails).flatMap((form) =>
      (['true', 'missing'] as const).map((says) => [form.name, says, form] as const),
    ),
  )('holds over %s where an answer fails after it began, with usage: %s', async (_, says, form) =>
    holds(await play(form, { says, isFailing: true })),
  );
});
