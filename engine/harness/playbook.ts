import type { Configs, Persona } from '../config/types.ts';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import { kindOfWork } from '../learning/kind.ts';
import { type MailScope, restrictionsOf, scopeOfMail } from '../learning/places.ts';
import { playbooksFor, type SelectedPlaybook } from '../learning/select.ts';
import { learningOf } from '../learning/settings.ts';
import type { Intent } from '../record/codec/intent.ts';
import type { PinnedPlaybook } from '../record/codec/playbook.ts';
import type { LoopState } from '../record/fold.ts';
import { taskOf } from '../record/trigger.ts';
import type { LearningStore } from '../storage/ports/learning/playbooks.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import { isCalendarFile } from '../tools/calendar/meetings.ts';
import type { Calls } from '../tools/execute.ts';
import type { PrepareContext } from '../tools/prepare.ts';
import { replyModeOf } from './respond/respond.ts';

/** Finds the playbook of a run, once it is known what the mail is taken for; null where nothing is learned, and then nothing is read. */
export function playbookOfRun(from: {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly configs: Pick<Configs, 'security' | 'system'>;
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  readonly store: Pick<LearningStore, 'playbookInForce'>;
  now(): number;
}): (intent: Intent | null) => Promise<SelectedPlaybook | null> {
  const { loaded, persona, configs, tools, store, now } = from;
  const settings = learningOf(persona, configs.system);
  const select = playbooksFor({ settings, persona, policy: configs.security.tool_policy, tools, store, now });
  if (select === null) return async () => null;
  return async (intent) => {
    const kind = kindOfWork({
      trigger: loaded.trigger.kind,
      task: taskOf(loaded)?.task ?? null,
      intent,
      hasInvitation: loaded.attachments.some(isCalendarFile),
      isDraft: replyModeOf(persona, loaded) === 'draft',
    });
    return kind === null ? null : select(kind, scopeOfMail(loaded));
  };
}

/** What tools are prepared by, with what the playbook of the run has against a call. */
export function restrictedByPlaybook<Tools extends { readonly prepare: PrepareContext }>(
  tools: Tools,
  playbook: PinnedPlaybook | undefined,
  scope: MailScope,
): Tools {
  if (!playbook) return tools;
  const { prepare } = tools;
  const restrictionsOn: PrepareContext['restrictionsOn'] = async (call) => [
    ...(await prepare.restrictionsOn(call)),
    ...restrictionsOf(playbook, { tool: call.tool.name, args: call.args }, { ...scope, steps: {} }),
  ];
  return { ...tools, prepare: { ...prepare, restrictionsOn } };
}

/** The record says of a call that the playbook has made it, where no model did. */
export function madeByPlaybook<Made extends Pick<Calls, 'executeCall'>>(calls: Made, state: LoopState): Made {
  const isStep = (id: string) => state.modelCalls === 0 && state.playbookSteps.some(({ callId }) => callId === id);
  return {
    ...calls,
    async executeCall(next) {
      const executed = await calls.executeCall(next);
      const { sensed } = executed;
      if (sensed?.source !== 'model' || !isStep(next.call.id)) return executed;
      return { ...executed, sensed: { ...sensed, source: 'playbook' as const } };
    },
  };
}
