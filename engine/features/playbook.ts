import type { Found, GatherPart, GatherRun } from '../harness/context/parts.ts';
import type { Around } from '../harness/features.ts';
import { replyModeOf } from '../harness/respond/respond.ts';
import { adviceOf, demanding } from '../learning/advice.ts';
import { kindOfWork } from '../learning/kind.ts';
import { restrictionsOf, scopeOfMail } from '../learning/places.ts';
import { playbooksFor, type SelectedPlaybook } from '../learning/select.ts';
import { learningOf } from '../learning/settings.ts';
import type { Intent } from '../record/codec/intent.ts';
import { taskOf } from '../record/trigger.ts';
import { isCalendarFile } from '../tools/calendar/meetings.ts';
import type { PrepareContext } from '../tools/prepare.ts';

/** The playbook that the run works by. */
export const playbook: GatherPart = {
  forRun(run) {
    const { persona, configs, tools, own: store, now } = run;
    const settings = learningOf(persona, configs.system);
    const select = playbooksFor({ settings, persona, policy: configs.security.tool_policy, tools, store, now });
    return {
      async gather(_began, intent) {
        const kind = kindOf(run, await intent);
        return kind === null ? null : atWork(await select(kind, scopeOfMail(run.loaded)));
      },
    };
  },
};

const kindOf = ({ loaded, persona }: GatherRun, intent: Intent | null): string | null =>
  kindOfWork({
    trigger: loaded.trigger.kind,
    task: taskOf(loaded)?.task ?? null,
    intent,
    hasInvitation: loaded.attachments.some(isCalendarFile),
    isDraft: replyModeOf(persona, loaded) === 'draft',
  });

/** What comes of it in the prompt, in the settings and on record. */
function atWork({ pinned, versionId, event }: SelectedPlaybook): Found {
  const advice = pinned && adviceOf(pinned);
  return {
    span: null,
    system: advice ? [advice] : [],
    settings: pinned === null ? {} : { playbook: pinned },
    pinned: { playbookVersion: versionId },
    frame: (known) => demanding(known, pinned),
    tell: (recorder) => recorder.event('playbook_selected', event),
  };
}

/** What it has against a call is asked before the call, and the record says of a call that it made it, where no model did. */
export const byPlaybook: Around = {
  prepare(prepare, { loaded, settings }) {
    const { playbook: pinned } = settings;
    if (!pinned) return prepare;
    const scope = scopeOfMail(loaded);
    const restrictionsOn: PrepareContext['restrictionsOn'] = async (call) => [
      ...(await prepare.restrictionsOn(call)),
      ...restrictionsOf(pinned, { tool: call.tool.name, args: call.args }, { ...scope, steps: {} }),
    ];
    return { ...prepare, restrictionsOn };
  },
  make: ({ state }) => {
    const isStep = (id: string) => state.modelCalls === 0 && state.playbookSteps.some(({ callId }) => callId === id);
    return async (next, make) => {
      const executed = await make();
      const { sensed } = executed;
      if (sensed?.source !== 'model' || !isStep(next.call.id)) return executed;
      return { ...executed, sensed: { ...sensed, source: 'playbook' as const } };
    };
  },
};
