import type { Json } from '#contract';
import type { Configs, Persona } from '../config/types.ts';
import type { ToolGrants } from '../extensions/types.ts';
import { type FrozenCall, frozenCall } from '../policy/approval/approval.ts';
import { type Executable, isExecutable } from '../policy/call.ts';
import { isByRisk } from '../policy/own-words/verdict.ts';
import { factsOf } from '../policy/surface.ts';
import { stringsOf } from '../policy/values/provenance.ts';
import { packetOf } from '../record/trigger.ts';
import type { Store } from '../storage/ports/store.ts';
import type { Approval, ForeignValue } from '../storage/types/approvals.ts';

import { type ToolDeps, toolsForRun } from './for-run.ts';
import { prepareCall } from './prepare.ts';
import { surfaceFor } from './run-surface.ts';

type JudgedEdit =
  /** `isTheirs`: an owner's own words count here, and nothing in the call is another than they were shown or have written. */
  | { readonly ok: true; readonly frozen: FrozenCall; readonly isTheirs: boolean }
  /** `why` can be told to the owner who edited. */
  | { readonly ok: false; readonly why: string };

/** Whether a held call may be asked about with other arguments, and how it is frozen then. */
export type JudgeEdit = (persona: Persona, store: Store, approval: Approval, args: Json) => Promise<JudgedEdit>;

interface EditDeps {
  configs(): Configs;
  /** Resolves when it is known which tools there are for these grants; null: it is known. Never rejects. */
  prepareTools(grants: ToolGrants): Promise<void> | null;
}

const TIME_MS = 10_000;

/**
 * Asks of an edited call all that was asked of the model's own: schema, surface, governor. What an owner may not let
 * a model do does not become allowed by being typed in.
 */
export function createEditJudge(deps: ToolDeps & EditDeps): JudgeEdit {
  return async (persona, store, approval, args) => {
    await deps.prepareTools(persona.tools);
    const run = await store.getRun(approval.run_id);
    if (!run) return { ok: false, why: 'the mail that it belongs to is gone' };
    const loaded = run.kind === 'delegation' ? await store.loadRun(run.id) : undefined;
    const user = {
      persona,
      configs: deps.configs(),
      run,
      store,
      signal: AbortSignal.timeout(TIME_MS),
      // Not known here, and only a yes can change a verdict: to being asked, which an edit is anyway.
      isTainted: () => true,
      // What an owner writes into a call is an owner's word.
      reading: null,
      toldBack: null,
      // What a child run may not use, an edit does not let it use.
      packet: loaded ? packetOf(loaded) : null,
      stage: () => {},
      stageFact: () => {},
      stageJob: () => {},
      stageChild: () => {},
    };
    const { prepare } = await toolsForRun(
      deps,
      user,
      surfaceFor({ tools: deps.tools(), hooks: deps.hooks() }, user).refusal,
    );
    const call = { id: approval.call_id, name: approval.tool, arguments: args };
    // Whoever edits is shown what comes of it, also where nobody would have had to be asked about it like that.
    const prepared = await prepareCall(call, prepare, 'always');
    if (!isExecutable(prepared))
      return { ok: false, why: `edited like that, it is refused: ${prepared.error.message}` };
    const frozen = frozenCall(prepared, deps.filesOf(persona.id).artifacts);
    const counts = user.configs.security.approvals.own_words === 'count';
    return {
      ok: true,
      frozen: { ...frozen, origins: left(approval.origins, args) },
      isTheirs: counts && isMail(prepared) && isSameBeside(approval.attached, frozen.attached),
    };
  };
}

/**
 * A mail of which the arguments say all, and of which nothing but its risk wants to be asked about. Of a file, a task or a
 * meeting the question shows more than its arguments, which may be another by now.
 */
function isMail({ tool, args, targets, permission }: Executable): boolean {
  const { scope, bundled, secrets } = factsOf(tool);
  const { layers = [], restrictions = [] } = permission.asked ?? {};
  const said = new Set(stringsOf(args as Json));
  return (
    scope.startsWith('mail:') &&
    bundled === true &&
    secrets !== true &&
    isByRisk(layers) &&
    restrictions.length === 0 &&
    targets.every((target) => said.has(target))
  );
}

/** The files that go along are those that came with the question. */
const isSameBeside = (shown: FrozenCall['attached'], now: FrozenCall['attached']): boolean =>
  shown.length === now.length &&
  shown.every(({ name, sha256 }, at) => now[at]?.name === name && now[at].sha256 === sha256);

/** Of what the owner was told before: the values that the edit has left as they were. */
function left(origins: readonly ForeignValue[], args: Json): readonly ForeignValue[] {
  const text = JSON.stringify(args);
  return origins.filter(({ value }) =>
    value.split(' … ').every((part) => text.includes(JSON.stringify(part).slice(1, -1))),
  );
}
