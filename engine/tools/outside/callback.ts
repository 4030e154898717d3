import type { CallbackCapability } from '#contract';
import type { Configs, Persona, SystemConfig } from '../../config/types.ts';
import type { RegisteredTool } from '../../extensions/types.ts';
import { type Ids, sha256 } from '../../lib/ids.ts';
import type { LoopState } from '../../record/state.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { suspensionId } from '../../suspensions/outside.ts';
import type { MadeCall } from '../execute.ts';

const TOKEN_BYTES = 32;

/** Below the address of the console; whoever has a token posts the result of one call of this persona here. */
const resultPath = (personaId: string): string => `/v1/results/${personaId}`;

interface Caller {
  readonly persona: Pick<Persona, 'id'>;
  readonly configs: Pick<Configs, 'system'>;
  readonly run: Pick<StoredRun, 'id'>;
  readonly store: Pick<Store, 'keepToken'>;
  /** Null where it is not the run that calls. */
  readonly reading: { readonly state: Pick<LoopState, 'modelCalls'> } | null;
}

/** A way back for the result of one call; none where its result cannot come later. */
export const createCallback = (
  { persona, configs, run, store, reading }: Caller,
  {
    tool,
    made,
    ids,
  }: { readonly tool: RegisteredTool; readonly made: MadeCall | null; readonly ids: Pick<Ids, 'random'> },
): CallbackCapability => ({
  async address() {
    const { console } = configs.system;
    if (!console.enabled || made === null || reading === null || tool.definition.check === undefined) return null;
    const token = ids.random(TOKEN_BYTES);
    const id = suspensionId(run.id, reading.state.modelCalls, made.call.id);
    await store.keepToken({ id, sha256: sha256(token) });
    return { url: `${baseOf(console)}${resultPath(persona.id)}`, token };
  },
});

function baseOf({ public_url, host, port }: SystemConfig['console']): string {
  if (public_url !== null) return public_url.replace(/\/$/, '');
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
