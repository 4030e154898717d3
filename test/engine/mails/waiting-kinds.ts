import { EngineError, type ProviderCode, type Whose } from '#contract';
import type { Model } from '../harness/rig.ts';
import { BOB, calling, held, type Kind, OWNER, request } from './kind.ts';

// What people get while mail waits: for a model, for money, for the owner.

const failing =
  (code: ProviderCode, message: string, whose?: Whose): Model =>
  () => {
    throw new EngineError(code, message, { ...(whose && { whose }) });
  };
const down = failing('unavailable', '503 Service Unavailable');
const refused = failing('auth', '401 invalid x-api-key', 'setup');
const gone = failing('model_gone', 'anthropic answered 404: model: claude-2', 'setup');
const empty = failing('no_credit', 'anthropic answered 400: the balance is used up', 'setup');
const vendor = (model: Model) => ({ inference: { provider: 'anthropic' }, models: { anthropic: model } });

const waits =
  (minutes: number): Kind['happens'] =>
  async (office, say) => {
    await office.rig.waits({ ...BOB, ...request(say) });
    office.rig.time.now += minutes * 60_000;
    await office.work();
  };

const spends =
  (mails: number): Kind['happens'] =>
  async (office, say) => {
    for (let mail = 0; mail < mails; mail += 1) await office.rig.answer({ ...BOB, ...request(say) });
    await office.work();
  };

const spentAndWaits: Kind['happens'] = async (office, say) => {
  await office.rig.answer({ ...BOB, ...request(say) });
  await office.rig.waits({ ...BOB, ...request(say) });
  await office.work();
};

const ok: Model = () => ({ text: 'OK.' });

export const WAITS: readonly Kind[] = [
  { name: 'late-note', kind: 'wait', model: down, options: vendor(down), happens: waits(45) },
  { name: 'owner-outage', kind: 'notice', model: down, options: vendor(down), happens: waits(45) },
  { name: 'owner-wrong-key', kind: 'notice', model: refused, options: vendor(refused), happens: waits(1) },
  { name: 'owner-model-gone', kind: 'notice', model: gone, options: vendor(gone), happens: waits(1) },
  { name: 'owner-no-credit', kind: 'notice', model: empty, options: vendor(empty), happens: waits(1) },
  {
    name: 'budget-note',
    kind: 'wait',
    model: ok,
    options: { persona: { budget: { runs_per_day: 1 } } },
    happens: spentAndWaits,
  },
  {
    name: 'owner-budget',
    kind: 'notice',
    model: ok,
    options: { persona: { budget: { runs_per_day: 1 } } },
    happens: spentAndWaits,
  },
  {
    name: 'owner-budget-near',
    kind: 'notice',
    model: ok,
    options: { persona: { budget: { runs_per_day: 5 } } },
    happens: spends(4),
  },
  { name: 'gave-up', kind: 'reply', model: down, happens: held },
  { name: 'gave-up-owner', kind: 'notice', model: down, happens: held },
  {
    name: 'stop',
    kind: 'notice',
    model: down,
    happens: async (office, say) => {
      await office.rig.waits({ ...BOB, ...request(say) });
      await office.command('STOP');
    },
  },
  {
    name: 'resume',
    kind: 'notice',
    model: ok,
    happens: async (office) => {
      await office.command('STOP');
      await office.command('RESUME');
    },
  },
  {
    name: 'made-for-others',
    kind: 'notice',
    to: OWNER,
    options: { security: { tool_policy: { tools: { write_file: 'allow' } } } },
    model: calling([{ name: 'write_file', args: { path: 'notes/lunch.md', content: 'At 12.\n' } }]),
    happens: async (office, say) => {
      await held(office, say);
      office.rig.time.now += 25 * 3_600_000;
      await office.work();
    },
  },
];
