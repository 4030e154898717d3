import {
  DEADLINE_MS,
  type FoundIntent,
  type GatherPart,
  type GatherRun,
  type StageOfRun,
  timedLook,
} from '../../harness/context/parts.ts';
import { hideDisguised } from '../../lib/secrets/secrets.ts';
import { stageSettings } from '../../models/stage.ts';
import { viewerOf } from '../../policy/viewer.ts';
import type { Framed } from '../../record/codec/intent.ts';
import { createMailSearch } from '../../tools/capabilities/mail.ts';
import { type Framing, frameMail, MAX_ITERATIONS, newFraming } from './frame-mail.ts';

/** Asks a small model what the sender wants. */
export const intent: GatherPart = {
  forRun(run) {
    const settings = stageSettings(run.persona, run.configs.inference, 'frame');
    if (settings === null) return null;
    return {
      async intent(began, { can_change: canChange }) {
        const earlier = run.log.last('framed')?.data;
        // A run that had asked before it was interrupted goes on from that answer.
        if (earlier) return found(earlier, null);
        const framing = newFraming();
        const stage = run.stage(settings);
        const maxIterations = settings.max_iterations ?? MAX_ITERATIONS;
        const part = await timedLook(
          { name: 'frame', charsOf: () => 0 },
          async (late) => ({ code: await ask(run, { stage, canChange, maxIterations, late, framing }) }),
          began,
        );
        stage.signal.throwIfAborted();
        const code = part.result ? part.result.code : part.span.ms >= DEADLINE_MS ? 'timeout' : 'failed';
        const { intent: told, iterations } = framing;
        return found({ intent: told, code, iterations, calls: [...framing.calls] }, part.span);
      },
    };
  },
};

/** `span`: null where it was found out before. */
function found(framed: Framed, span: FoundIntent['span']): FoundIntent {
  const { intent: told } = framed;
  return {
    span,
    intent: told,
    frame: (known) => (told === null ? known : { ...known, intent: told }),
    async keep(recorder) {
      if (span === null) return;
      recorder.event('framed', framed);
      await recorder.commit();
    },
  };
}

/** Mails that one search of it finds. */
const HITS = 5;

function ask(
  { loaded, persona, store }: GatherRun,
  asking: {
    readonly stage: StageOfRun;
    readonly canChange: readonly string[];
    readonly maxIterations: number;
    /** Ends it when its time is over. */
    readonly late: AbortSignal;
    readonly framing: Framing;
  },
): Promise<Framed['code']> {
  const { stage, canChange, maxIterations, late, framing } = asking;
  const { message, run } = loaded;
  const mail = {
    subject: message.subject,
    text: message.new_text,
    at: message.received_at,
    canChange,
    addresses: [message.from_address ?? '', ...message.to, ...message.cc],
  };
  const find = createMailSearch({ store, viewer: viewerOf(run), current: run.message_id, timezone: persona.timezone });
  const search = async (query: string) => {
    const hits = (await find({ query, limit: HITS })).map(({ from, date, subject, snippet }) => ({
      date,
      from: hideDisguised(from),
      subject: hideDisguised(subject),
      text: hideDisguised(snippet),
    }));
    return JSON.stringify(hits);
  };
  const signal = AbortSignal.any([late, stage.signal]);
  return frameMail(mail, { call: stage.call(signal), search, maxIterations, signal }, framing);
}
