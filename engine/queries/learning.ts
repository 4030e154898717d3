import type { Json } from '#contract';
import { ceilingOf } from '../learning/ceiling.ts';
import { heuristic, modeOf, type PlaybookStanding, standingOf, WINDOW } from '../learning/heuristic.ts';
import { type ReadPlaybook, readPlaybook } from '../learning/read-playbook.ts';
import { type LearningSettings, learningOf } from '../learning/settings.ts';
import type { RatedVersion } from '../learning/versions/named.ts';
import { anyJson, readJson } from '../lib/json.ts';
import type { Store } from '../storage/ports/store.ts';
import type { PlaybookVerdict } from '../storage/types/learning/playbooks.ts';
import { personaNamed } from './find-across.ts';
import type { QueryPorts } from './ports.ts';
import { type RefinementShape, refinementShape } from './refinement.ts';

/** What of one kind of work one persona has learned, for `learn status`. */
export interface LearnedKind {
  readonly persona: string;
  readonly enabled: boolean;
  readonly kind: string;
  /** In force; null: there is none. */
  readonly version: number | null;
  readonly version_id: string | null;
  readonly pinned: boolean;
  readonly versions: number;
  /** Null: not enough data. */
  readonly h: number | null;
  readonly outcomes: number;
  /** How many of the newest runs of the kind somebody called good, and bad, whatever version they were worked by. */
  readonly good: number;
  readonly bad: number;
  readonly mode: string;
  readonly mode_by: PlaybookStanding['by'];
  readonly scenarios: number;
  /** What became of the last attempt to make a better version; null: there was none. */
  readonly refined: RefinementShape | null;
}

export async function learnedBy(ports: QueryPorts, persona?: string): Promise<readonly LearnedKind[]> {
  const entries = persona === undefined ? [...ports.live.personas().all()] : [personaNamed(ports, persona)];
  const found: LearnedKind[] = [];
  for (const entry of entries) {
    if (!ports.stores.exists(entry.id)) continue;
    found.push(...(await ports.stores.use(entry.id, (store) => kindsOf(ports, entry.id, store))));
  }
  return found;
}

/** As they hold for a persona; of one whose file cannot be read, as they stand for all. */
export function learningSettings(ports: QueryPorts, persona: string): LearningSettings {
  const entry = personaNamed(ports, persona);
  return learningOf(entry.state === 'ready' ? entry.persona : { learning: {} }, ports.live.current().system);
}

async function kindsOf(ports: QueryPorts, id: string, store: Store): Promise<readonly LearnedKind[]> {
  const settings = learningSettings(ports, id);
  const kinds = await store.learnedKinds();
  return Promise.all(
    kinds.map(async (kind): Promise<LearnedKind> => {
      const inForce = await store.playbookInForce(kind, WINDOW);
      const [last] = await store.refinements(kind, 1);
      const judged = await store.playbookOutcomes({ kind }, WINDOW);
      const called = (wanted: PlaybookVerdict) => judged.filter(({ verdict }) => verdict === wanted).length;
      const { mode_override: override, max_mode: most } = settings;
      const { h, mode, by } = inForce
        ? standingOf(inForce, { override, most, now: ports.clock.now() })
        : { h: null, ...modeOf(null, null) };
      return {
        persona: id,
        enabled: settings.enabled,
        kind,
        h,
        mode,
        mode_by: by,
        version: inForce?.version.number ?? null,
        version_id: inForce?.version.id ?? null,
        pinned: inForce?.pinned ?? false,
        versions: (await store.playbookVersions(kind)).length,
        outcomes: inForce?.outcomes.length ?? 0,
        good: called('good'),
        bad: called('bad'),
        scenarios: (await store.playbookScenarios(kind)).length,
        refined: last ? refinementShape(last) : null,
      };
    }),
  );
}

/** All versions of a kind, oldest first, with how their runs have gone. */
export async function ratedVersions(store: Store, kind: string, now: number): Promise<readonly RatedVersion[]> {
  const versions = await store.playbookVersions(kind);
  return Promise.all(
    versions.map(async (version) => ({
      version,
      h: heuristic(await store.playbookOutcomes({ version: version.id }, WINDOW), now),
    })),
  );
}

/** What a text is as a playbook of this kind for this persona. */
export async function playbookIn(
  ports: QueryPorts,
  persona: string,
  kind: string,
  text: string,
): Promise<ReadPlaybook> {
  const { tools } = await ports.extensions();
  const entry = personaNamed(ports, persona);
  const { security } = ports.live.current();
  return readPlaybook(
    text,
    kind,
    entry.state === 'ready' ? ceilingOf(entry.persona, security.tool_policy, tools) : () => false,
  );
}

/** A version as a person reads it. */
export const versionShape = ({ version, h }: RatedVersion) => {
  const { playbook_json: text, tainted, created_at: at, ...rest } = version;
  const playbook: Json = readJson(anyJson, text) ?? text;
  return { ...rest, tainted: tainted === 1, created_at: new Date(at).toISOString(), h, playbook };
};
