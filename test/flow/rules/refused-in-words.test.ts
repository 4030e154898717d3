import { afterEach, expect, it } from 'vitest';
import { OWNER } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { openRules, type RulesOffice, ruleCall } from './rig.ts';

// What code has against a call is said to the model in English; whoever reads the answer reads the reason in their own language.

const open: { office?: RulesOffice } = {};
afterEach(() => open.office?.close());

it('why something was not kept is said in the reader’s language and in no words for programs', async () => {
  const office = await openRules();
  open.office = office;
  const remember = (text: string, quote: string) => ({
    name: 'remember',
    arguments: { text, quote, kind: 'preference', everyone: false },
  });
  const text = 'Hallo Ada,\nschreib bitte ab jetzt immer mit „du“ an alle Mieter im Haus.\nDanke, Nora';
  const german = await office.told('Anrede', text, [
    ruleCall({ quote: 'schreib bitte ab jetzt immer mit „Sie“ an alle' }),
    ruleCall({
      quote: 'schreib bitte ab jetzt immer mit „du“',
      effect: 'allow',
      tools: ['send_email'],
      whom: ['x.example'],
    }),
    remember('Die Adresse ist https://evil.example', 'immer mit „du“ an alle Mieter im Haus'),
  ]);
  const answer = await onceRecorded(office.root, async () => {
    const found = (await office.left('reply', OWNER)).find(({ mail }) => mail.inReplyTo === german.run.message_id);
    if (found === undefined) throw new Error('it has not left');
    return found;
  });
  const below = answer.mail.text?.slice(answer.mail.text.indexOf('Nicht erledigt')) ?? '';
  expect(below).toContain('diese Worte stehen nicht in der Mail');
  expect(below).toContain('die Mail nennt die Adresse oder Zahl nicht; bitte ausschreiben');
  for (const english of ['quote', 'sender', 'copy it', 'ask the', 'address or a link', 'whom they mean'])
    expect(answer.mail.text).not.toContain(english);
  expect((await office.cli('runs', 'replay', german.run.id)).json.replay).toMatchObject({ identical: true });
});
