import type { PayloadOf } from './events.ts';

/** Calls of one tool, or of one model. */
export interface CallsOf {
  readonly calls: number;
  readonly failures: number;
  /** All of them together. */
  readonly ms: number;
}

/** What calls of runs came to since the process began, by the name of the tool and as `provider/model`. */
export interface CallTally {
  tool(ended: PayloadOf<'tool_call_ended'>): void;
  model(ended: PayloadOf<'model_call_ended'>): void;
  tools(): ReadonlyMap<string, CallsOf>;
  models(): ReadonlyMap<string, CallsOf>;
}

/** A server of tools may offer as many names as it likes. */
const MOST_NAMES = 500;
const OTHERS = 'others';

export function createCallTally(): CallTally {
  const tools = new Map<string, CallsOf>();
  const models = new Map<string, CallsOf>();
  return {
    tool: ({ tool, ok, ms }) => count(tools, tool, { ok, ms }),
    model: ({ provider, model, ok, ms }) => count(models, `${provider}/${model}`, { ok, ms }),
    tools: () => tools,
    models: () => models,
  };
}

function count(all: Map<string, CallsOf>, given: string, ended: { readonly ok: boolean; readonly ms: number }): void {
  const name = all.has(given) || all.size < MOST_NAMES ? given : OTHERS;
  const before = all.get(name) ?? { calls: 0, failures: 0, ms: 0 };
  all.set(name, {
    calls: before.calls + 1,
    failures: before.failures + (ended.ok ? 0 : 1),
    ms: before.ms + ended.ms,
  });
}
