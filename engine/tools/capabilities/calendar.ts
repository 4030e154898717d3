import type { CalendarCapability } from '#contract';
import type { Clock } from '../../lib/clock.ts';
import type { PersonaFiles } from '../../storage/persona-files.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { type AnswerOptions, createAnswers } from '../calendar/answer.ts';
import { createFindTime } from '../calendar/find-time.ts';
import { createInviting } from '../calendar/invite.ts';
import type { Library } from '../documents/library.ts';
import { createWeb } from '../web/web.ts';
import { createAnswerSender, createMeetingSender, type OutgoingOptions } from './outgoing.ts';

/** Invitations and calendars for one call of a run; `outgoing` is what its mails are made with. */
export function calendarOfRun(
  deps: {
    calendarsOf(personaId: string): string;
    filesOf(personaId: string): Pick<PersonaFiles, 'calendars'>;
    readonly clock: Clock;
  },
  {
    persona,
    run,
    store,
  }: Pick<AnswerOptions, 'persona'> & {
    readonly store: AnswerOptions['store'] & Pick<Store, 'wordsOfPerson'>;
    readonly run: StoredRun;
  },
  { library, outgoing }: { readonly library: Library; readonly outgoing: OutgoingOptions },
): CalendarCapability {
  const { language, languageForOwners, signal, approved } = outgoing;
  const { clock } = deps;
  return {
    ...createAnswers({
      persona,
      run,
      store,
      library,
      language,
      languageForOwners,
      clock,
      viewer: outgoing.sources.viewer,
      approvedBasis: approved?.basis ?? null,
      send: createAnswerSender(outgoing),
    }),
    ...createInviting({
      persona,
      run,
      store,
      language,
      languageForOwners,
      clock,
      host: () => hostOf(run, store),
      ids: outgoing.ids,
      domain: outgoing.gateway.domain,
      viewer: outgoing.sources.viewer,
      approvedBasis: approved?.basis ?? null,
      send: createMeetingSender(outgoing),
    }),
    findTime: createFindTime({
      persona,
      library,
      clock,
      signal,
      places: { folder: deps.calendarsOf(persona.id), fetched: deps.filesOf(persona.id).calendars },
      // A calendar is had from the host that the owner named, and from no other.
      fetch: createWeb({ mayFollow: async () => false }).fetch,
    }),
  };
}

const MAX_NAME = 60;

/** Whoever asked for a meeting by mail holds it; a name that could pass for an address is left out. */
async function hostOf(
  { kind, tier, message }: Pick<StoredRun, 'kind' | 'tier' | 'message'>,
  store: Pick<AnswerOptions['store'], 'messageById'>,
): Promise<string | null> {
  if (kind === 'task' || (tier !== 'owner' && tier !== 'member')) return null;
  const name = ((await store.messageById(message))?.from_name ?? '').replace(/[\p{Cc}\p{Cf}<>"]+/gu, ' ').trim();
  return name === '' || name.includes('@') || name.length > MAX_NAME ? null : name;
}
