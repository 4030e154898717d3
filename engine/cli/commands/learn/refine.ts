import { EngineError } from '#contract';
import { askRefinement, waitForRefinement } from '../../../actions/refine.ts';
import { isRefusal, refusal } from '../../../actions/refusal.ts';
import { LEAST_SCENARIOS } from '../../../learning/refine/judge.ts';
import { refineSettings } from '../../../learning/refine/model.ts';
import { learningSettings } from '../../../queries/learning.ts';
import { baselineOf, refinementShape, refineSubject } from '../../../queries/refinement.ts';
import { defineCommand } from '../../command/define.ts';
import { workWhile } from '../../submit/work-until-ended.ts';
import { KIND, PERSONA, pairOf } from './pair.ts';

const [FEWEST, MOST] = [LEAST_SCENARIOS, 50];
const tooFew = (kind: string) =>
  refusal('INSUFFICIENT_SCENARIOS', `fewer than ${LEAST_SCENARIOS} runs of kind ${kind} are kept as examples`);
const percent = (score: number | null): string => (score === null ? '-' : `${Math.round(score * 100)} %`);

export const baseline = defineCommand({
  name: 'learn baseline',
  summary: 'What the version in force does right of the newest examples; calls nothing',
  arguments: [PERSONA, KIND],
  options: { count: { flags: '--count <n>', about: `how many examples, ${FEWEST} to ${MOST}`, fallback: '10' } },
  async run({ open }, { args: [name, kind], options }) {
    const workspace = open({ tolerant: true });
    const pair = pairOf(workspace, name, kind);
    if ('ok' in pair) return pair;
    const count = /^\d{1,4}$/.test(options.count) ? Number(options.count) : 0;
    if (count < FEWEST || count > MOST)
      return refusal('COUNT_OUT_OF_RANGE', `--count takes a number from ${FEWEST} to ${MOST}`);
    const found = await baselineOf(workspace, pair.id, { kind, count });
    if (found === 'INSUFFICIENT_SCENARIOS') return tooFew(kind);
    if (found === 'NO_CURRENT_VERSION') return refusal(found, `there is no version of ${kind} yet`);
    return { persona: pair.id, ...found };
  },
  text: ({ version, raw, current, delta, examples }) =>
    [
      ...examples.map(({ verdict, subject, present, forbidden }) => {
        return `${forbidden ? 'wrong' : present ? 'right' : '-'}  ${verdict}  ${subject.slice(0, 60)}`;
      }),
      `v${version}: ${percent(current)} of ${examples.length} examples; doing nothing: ${percent(raw)}; gain: ${percent(delta)}`,
    ].join('\n'),
});

/** For two calls to a model. */
const WAIT_MS = 60_000;

export const refine = defineCommand({
  name: 'learn refine',
  summary: 'Have a model write a better version, and keep it if the examples bear it out',
  arguments: [PERSONA, KIND],
  async run({ open, note }, { args: [name, kind] }) {
    const workspace = open({ tolerant: true });
    const pair = pairOf(workspace, name, kind);
    if ('ok' in pair) return pair;
    if (!learningSettings(workspace, pair.id).enabled)
      throw new EngineError('usage', `${pair.id} learns nothing: learning.enabled is false`);
    const { inference, system } = workspace.live.current();
    const entry = workspace.live.personas().get(pair.id);
    if (entry?.state !== 'ready' || refineSettings(entry.persona, inference, system) === null)
      return refusal('NO_REFINEMENT_MODEL', 'name one: learning.refinement_model, or inference.stages.refine');
    const subject = await refineSubject(workspace, pair.id, kind);
    if (!subject || subject.examples.length < LEAST_SCENARIOS) return tooFew(kind);
    const asked = await askRefinement(workspace, { personaId: pair.id, kind });
    if (isRefusal(asked)) return asked;
    note(`Two calls to a model, then ${subject.examples.length} examples decide ...`);
    const wanted = { personaId: pair.id, kind, before: asked.before };
    const ended = await workWhile(workspace, () => waitForRefinement(workspace, wanted, WAIT_MS));
    return { persona: pair.id, kind, refinement: ended && refinementShape(ended) };
  },
  text({ persona, kind, refinement }) {
    if (refinement === null) return `It takes longer: \`epistle learn status ${persona}\` shows what became of it.`;
    const { accepted, reason, detail, from_version: from, to_version: to } = refinement;
    const scores = `${percent(refinement.from_score)} -> ${percent(refinement.to_score)} of the examples`;
    return accepted
      ? `${kind}: v${from ?? 1} -> v${to}, ${scores}. To go back: \`epistle learn use ${persona} ${kind} v${from ?? 1}\``
      : `No new version: ${reason}${detail === null ? '' : ` (${detail})`}.`;
  },
});
