import { EngineError } from '#contract';
import { addPlaybook, judgeNewest, resetLearning, usePlaybook } from '../../../actions/learning.ts';
import { type Refusal, refusal } from '../../../actions/refusal.ts';
import { isWorkKind } from '../../../learning/kind.ts';
import { differenceOf, type RatedVersion, type RefProblem, versionNamed } from '../../../learning/versions/named.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import { learnedBy, learningSettings, playbookIn, ratedVersions, versionShape } from '../../../queries/learning.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { KIND, PERSONA, pairOf } from './pair.ts';
import { baseline, refine } from './refine.ts';

const REF = 'latest, best, v<number> or an id';

const WHY: Readonly<Record<RefProblem, (kind: string, ref: string) => string>> = {
  INVALID_GRAMMAR: (_, ref) => `${ref} names no version: ${REF}`,
  NO_VERSIONS: (kind) => `nothing is learned of ${kind} yet`,
  NOT_FOUND: (kind, ref) => `there is no version ${ref} of ${kind}`,
};

async function versionsOf(workspace: Workspace, name: string, kind: string) {
  const pair = pairOf(workspace, name, kind);
  if ('ok' in pair) return pair;
  const { id } = pair;
  if (!workspace.stores.exists(id)) return { id, rated: [] };
  const rated = await workspace.stores.use(id, (store) => ratedVersions(store, kind, workspace.clock.now()));
  return { id, rated };
}

function named(rated: readonly RatedVersion[], kind: string, ref: string): RatedVersion | Refusal {
  const found = versionNamed(rated, ref);
  return typeof found === 'string' ? refusal(found, WHY[found](kind, ref)) : found;
}

const status = defineCommand({
  name: 'learn status',
  summary: 'What is learned, by persona and kind of work, and what it may do',
  arguments: ['[persona]'],
  async run({ open }, { args: [persona] }) {
    return { kinds: await learnedBy(open({ tolerant: true }), persona) };
  },
  rows: ({ kinds }) => kinds,
  columns: {
    PERSONA: ({ persona }) => persona,
    KIND: ({ kind }) => kind,
    VERSION: ({ version, pinned }) => (version === null ? '-' : `v${version}${pinned ? ' (pinned)' : ''}`),
    H: ({ h }) => (h === null ? 'not enough data' : h.toFixed(2)),
    RUNS: ({ outcomes }) => String(outcomes),
    CALLED: ({ good, bad }) =>
      [...(good > 0 ? [`${good} good`] : []), ...(bad > 0 ? [`${bad} bad`] : [])].join(', ') || '-',
    REFINED: ({ refined }) => (refined === null ? '-' : (refined.reason ?? `v${refined.to_version}`)),
    MODE: ({ enabled, mode, mode_by: by }) => (enabled ? `${mode}${by === 'override' ? ' (set)' : ''}` : 'off'),
  },
  empty: 'Nothing is learned.',
});

const inspect = defineCommand({
  name: 'learn inspect',
  summary: 'One version as it was written, and how its runs have gone',
  arguments: [PERSONA, KIND, ['[ref]', REF]],
  async run({ open }, { args: [name, kind, ref = 'latest'] }) {
    const of = await versionsOf(open({ tolerant: true }), name, kind);
    if ('ok' in of) return of;
    const found = named(of.rated, kind, ref);
    return 'ok' in found ? found : { persona: of.id, version: versionShape(found) };
  },
  text: ({ version }) => JSON.stringify(version, null, 2),
});

const diff = defineCommand({
  name: 'learn diff',
  summary: 'What differs between two versions',
  arguments: [PERSONA, KIND, ['<from>', REF], ['<to>', REF]],
  async run({ open }, { args: [name, kind, from, to] }) {
    const of = await versionsOf(open({ tolerant: true }), name, kind);
    if ('ok' in of) return of;
    const [before, after] = [named(of.rated, kind, from), named(of.rated, kind, to)];
    if ('ok' in before) return before;
    if ('ok' in after) return after;
    const [old, next] = [versionShape(before), versionShape(after)].map((one) => JSON.stringify(one.playbook, null, 2));
    return { from: before.version.number, to: after.version.number, lines: differenceOf(old ?? '', next ?? '') };
  },
  text: ({ lines }) => (lines.length === 0 ? 'They say the same.' : lines.join('\n')),
});

const use = defineCommand({
  name: 'learn use',
  summary: 'Work by this version from the next run on; --newest lets the newest hold again',
  arguments: [PERSONA, KIND, ['[ref]', REF]],
  options: { newest: { flags: '--newest', about: 'no version is pinned any more' } },
  async run({ open }, { args: [name, kind, ref], options: { newest } }) {
    if ((ref === undefined) !== (newest === true))
      throw new EngineError('usage', 'learn use takes a version, or --newest');
    const workspace = open({ tolerant: true });
    const of = await versionsOf(workspace, name, kind);
    if ('ok' in of) return of;
    const found = ref === undefined ? null : named(of.rated, kind, ref);
    if (found !== null && 'ok' in found) return found;
    await usePlaybook(workspace, { personaId: of.id, kind, version: found?.version.id ?? null });
    return { persona: of.id, kind, pinned: found?.version.number ?? null };
  },
  text: ({ persona, kind, pinned }) =>
    `${persona} works ${kind} by ${pinned === null ? 'the newest version' : `v${pinned}`} from the next run on.`,
});

const add = defineCommand({
  name: 'learn add',
  summary: 'Keep a playbook that you wrote, read as JSON from stdin, as the newest version',
  arguments: [PERSONA, KIND],
  async run({ open, readBody }, { args: [name, kind] }) {
    const workspace = open({ tolerant: true });
    const of = await versionsOf(workspace, name, kind);
    if ('ok' in of) return of;
    const read = await playbookIn(workspace, of.id, kind, await readBody());
    const { max_versions: most } = learningSettings(workspace, of.id);
    const kept = await addPlaybook(workspace, { personaId: of.id, kind, read, rated: of.rated, most });
    return 'ok' in kept ? kept : { persona: of.id, kind, version: kept.number, id: kept.id };
  },
  text: ({ persona, kind, version }) => `${persona} has v${version} of ${kind}.`,
});

const reset = defineCommand({
  name: 'learn reset',
  summary: 'Forget what was learned of a kind, or of all; asks for --force',
  arguments: [PERSONA, ['[kind]', 'all where none is named']],
  options: { force: { flags: '--force', about: 'really' } },
  async run({ open }, { args: [name, kind], options: { force } }) {
    const workspace = open({ tolerant: true });
    const { id } = personaNamed(workspace, name);
    if (kind !== undefined && !isWorkKind(kind)) return refusal('UNSUPPORTED_KIND', `${kind} is no kind of work`);
    if (force !== true) throw new EngineError('usage', 'nothing was forgotten: say --force');
    if (!workspace.stores.exists(id)) return { persona: id, versions: 0, outcomes: 0, scenarios: 0 };
    return { persona: id, ...(await resetLearning(workspace, { personaId: id, kind: kind ?? null })) };
  },
  text: ({ persona, versions, outcomes, scenarios }) =>
    `${persona} has forgotten ${versions} versions, ${outcomes} outcomes and ${scenarios} scenarios.`,
});

const VERDICTS = { good: 'good', bad: 'bad', clear: null } as const;

const feedback = defineCommand({
  name: 'learn feedback',
  summary: 'Say of the newest run of a kind that it was good or bad; clear takes it back',
  arguments: [PERSONA, KIND, ['<verdict>', 'good, bad or clear']],
  async run({ open }, { args: [name, kind, said] }) {
    if (!(said === 'good' || said === 'bad' || said === 'clear'))
      throw new EngineError('usage', 'a verdict is good, bad or clear');
    const workspace = open({ tolerant: true });
    const pair = pairOf(workspace, name, kind);
    if ('ok' in pair) return pair;
    if (!workspace.stores.exists(pair.id)) return refusal('NO_RECENT_OUTCOME', `${pair.id} has had no mail yet`);
    const judged = await judgeNewest(workspace, { personaId: pair.id, kind, verdict: VERDICTS[said] });
    return 'ok' in judged ? judged : { persona: pair.id, kind, run_id: judged.run_id, verdict: judged.verdict };
  },
  text: ({ run_id: run, verdict }) =>
    `Run ${run} is ${verdict === null ? 'not judged any more' : `called ${verdict}`}.`,
});

export const learn: Group = {
  name: 'learn',
  summary: 'What personas have learned from how their runs went',
  commands: [status, inspect, diff, use, refine, baseline, add, reset, feedback],
};
