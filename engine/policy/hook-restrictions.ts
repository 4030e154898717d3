import type { Json, RestrictedRun, RestrictedTool, Risk } from '#contract';
import type { RegisteredHook, Registry } from '../extensions/types.ts';
import { withDeadline } from '../lib/deadline.ts';
import { messageOf } from '../lib/error-message.ts';
import type { FromHook } from './permission.ts';
import type { Narrow, ToolFacts } from './surface.ts';

const JUDGE_MS = 5000;
const MAX_REASON = 500;

type Hooks = Pick<Registry<RegisteredHook>, 'all'>;

/** What hooks leave out of what runs are offered, after the gateway's own steps. */
export const narrowingByHooks = (hooks: Hooks, run: RestrictedRun): readonly Narrow[] =>
  hooks.all().flatMap(({ name, definition, config, failure }) => {
    if (!definition.narrow) return [];
    return (tool: ToolFacts) => {
      const reason = failure?.() ?? reasonOr(() => definition.narrow?.(toolOf(tool), run, { config }) ?? null);
      return reason === null ? null : { code: 'policy_denied', by: `hook ${name}`, reason: short(reason) };
    };
  });

/** What hooks have against one call; each is asked, so that the record has all that was said. Never rejects. */
export async function judgedByHooks(
  hooks: Hooks,
  call: { tool: ToolFacts; risk: Risk; args: Json; tainted: boolean },
  { run, signal }: { readonly run: RestrictedRun; readonly signal: AbortSignal },
): Promise<readonly FromHook[]> {
  const { risk, args, tainted } = call;
  const tool = { ...toolOf(call.tool), risk };
  const said = hooks.all().map(async ({ name, definition, config, log }): Promise<FromHook[]> => {
    if (!definition.judge) return [];
    const by = `hook ${name}`;
    try {
      const restriction = await withDeadline(
        async (own) =>
          definition.judge?.({ tool, arguments: args, run, tainted }, { config, log, signal: own }) ?? null,
        { ms: JUDGE_MS, code: 'timeout', what: by, parent: signal },
      );
      if (restriction === null) return [];
      // Whatever is not a question is a no.
      const verdict = restriction.verdict === 'ask' ? 'ask' : 'deny';
      return [{ by, verdict, reason: short(restriction.reason) }];
    } catch (error) {
      signal.throwIfAborted();
      return [{ by, verdict: 'deny', reason: failed(error) }];
    }
  });
  return (await Promise.all(said)).flat();
}

const toolOf = ({ name, risk, scope, foreign = 'folders' }: ToolFacts): RestrictedTool => ({
  name,
  risk,
  scope,
  source: foreign,
});

/** A hook that fails has not said that it may be. */
function reasonOr(ask: () => string | null): string | null {
  try {
    return ask();
  } catch (error) {
    return failed(error);
  }
}

const failed = (error: unknown): string => short(`it failed: ${messageOf(error)}`);

/** A hook may give back anything. */
const short = (text: unknown): string => String(text).slice(0, MAX_REASON).toWellFormed();
