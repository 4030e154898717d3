import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import { RISKS } from '../../lib/risks.ts';
import { BY_PLAYBOOK } from '../../policy/refusal.ts';
import type { RecordedResult, Scenario, ScenarioEffect } from '../../record/codec/scenario.ts';
import type { CallOutcome } from '../../record/state.ts';
import type { JudgedOutcome, PlaybookVerdict } from '../../storage/types/learning/playbooks.ts';
import type { Tier } from '../../storage/types/mail.ts';
import type { MailScope } from '../places.ts';

/** Of one kind of work. */
export const MOST_SCENARIOS = 20;
const MAX_TEXT = 8000;
const MAX_ANSWER = 4000;
/** An example with more in it is none that anybody could read. */
const MAX_CHARS = 60_000;

/** What the run of an example was, as far as it is on record. */
export interface RunToCapture {
  readonly scope: MailScope;
  readonly tier: Tier;
  /** Of its calls, in order. */
  readonly outcomes: readonly CallOutcome[];
  readonly answer: string;
  readonly judged: Pick<JudgedOutcome, 'succeeded' | 'failed' | 'verdict'>;
  /** The run of a due time: its words are the same each time, and yet each is another run. Null: one of a mail. */
  readonly dueTime: string | null;
}

interface CapturedScenario {
  readonly verdict: PlaybookVerdict;
  /** Of what it was given and of what has to come of it: examples with the same are one. */
  readonly hash: string;
  readonly json: string;
}

/**
 * A run as an example. What somebody has said of it comes before what the trace says. Null: it is none, since nothing tells
 * whether it went well, or it called nothing, or it is too large. Pure.
 */
export function capture(run: RunToCapture): CapturedScenario | null {
  const verdict = verdictOf(run.judged);
  if (verdict === null) return null;
  const results = run.outcomes.flatMap((one) => recordedResult(one) ?? []);
  const made = results.filter(({ ok }) => ok);
  const changing = made.filter(({ risk }) => risk !== 'read');
  const wrong = run.outcomes.filter(isWrong).flatMap((one) => recordedResult(one) ?? []);
  const expected = verdict === 'bad' ? [] : changing.length > 0 ? changing : made;
  const effects = {
    expected: distinct(expected),
    forbidden: distinct([...wrong, ...(run.judged.verdict === 'bad' ? changing : [])]),
  };
  if (effects.expected.length + effects.forbidden.length === 0) return null;
  const { mail, thread } = run.scope;
  const given = { ...mail, text: mail.text.slice(0, MAX_TEXT), tier: run.tier };
  const scenario: Scenario = { mail: given, thread, results, ...effects, answer: run.answer.slice(0, MAX_ANSWER) };
  const json = JSON.stringify(scenario);
  const told = { given, ...effects, ...(run.dueTime === null ? {} : { due: run.dueTime }) };
  return json.length > MAX_CHARS ? null : { verdict, hash: sha256(canonicalJson(told)), json };
}

/** Null: it neither went well nor did anything break. */
function verdictOf({ succeeded, failed, verdict }: RunToCapture['judged']): PlaybookVerdict | null {
  if (verdict !== null) return verdict;
  return succeeded === 1 ? 'good' : failed === 1 ? 'bad' : null;
}

/** Codes of calls that were not made for reasons which say nothing of the call. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  ...['skipped', 'side_effect_unknown', 'policy_rate_limited', 'policy_quota_exceeded', 'policy_requires_approval'],
]);

/** It failed, or somebody said no to it; what a playbook refuses says something of the playbook alone. */
const isWrong = ({ ok, code, made }: CallOutcome): boolean =>
  !ok && !SAYS_NOTHING.has(code ?? '') && made?.deniedBy?.startsWith(BY_PLAYBOOK) !== true;

function recordedResult({ tool, ok, code, made }: CallOutcome): RecordedResult | null {
  if (!made) return null;
  return { tool, arguments: made.call.arguments ?? null, risk: asRisk(made.risk), ok, code, content: made.content };
}

const asRisk = (risk: string | null): RecordedResult['risk'] => RISKS.find((one) => one === risk) ?? null;

/** Each call once, in its order. */
function distinct(calls: readonly ScenarioEffect[]): readonly ScenarioEffect[] {
  const byText = new Map(
    calls.map(({ tool, arguments: args }) => [canonicalJson([tool, args]), { tool, arguments: args }]),
  );
  return [...byText.values()];
}
