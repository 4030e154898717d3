import { describe, expect, it } from 'vitest';
import { type AboutCall, readReply } from '../../engine/mail/approval/approval-answer.ts';
import { readMail } from '../../engine/mail/reading/read-mail.ts';
import { LIMITS } from '../engine/mail/limits.ts';
import { plainMail } from './answer-clients.ts';
import { NEAR_MISSES } from './near-misses.ts';

const ABOUT: AboutCall = { keys: ['to', 'subject', 'body'], long: [], people: ['bob'], act: 'send' };

describe.each(Object.entries(NEAR_MISSES))('what looks like a yes and is none: %s', (language, text) => {
  const answers = text.split('\n');

  it('is said in at least 25 ways', () => {
    expect(new Set(answers).size).toBeGreaterThanOrEqual(25);
  });

  it('lets nothing through', async () => {
    const read = await Promise.all(
      answers.map(async (said) => {
        const outcome = await readMail(plainMail(said), LIMITS);
        const { answer } = readReply(outcome.ok ? outcome.mail.newText : '', [1], () => ABOUT, language);
        return { said, kind: answer.kind };
      }),
    );
    expect(read.filter(({ kind }) => kind === 'approve' || kind === 'mixed')).toEqual([]);
  });
});

const DELETION: AboutCall = { keys: ['path'], long: [], act: 'delete' };
const TO_CAROL: AboutCall = { ...ABOUT, people: ['carol'] };

it.each([
  ['en', 'hit send'],
  ['en', 'you can send it'],
  ['de', 'kann verschickt werden'],
  ['de', 'ja, schick sie'],
  ['es', 'puedes enviarlo'],
  ['fr', "tu peux l'envoyer"],
  ['it', 'puoi inviarla'],
  ['nl', 'je mag hem versturen'],
  ['pl', 'możesz wysłać'],
  ['pt', 'ok manda'],
  ['tr', 'böyle gönder'],
  ['ar', 'يمكنك إرسالها'],
  ['ja', '送っといて'],
  ['zh', '可以发'],
])('a word for sending is no yes to a deletion, in %s: %s', (language, said) => {
  expect(readReply(said, [1], () => ABOUT, language).answer.kind).toBe('approve');
  expect(readReply(said, [1], () => DELETION, language).answer.kind).toBe('ambiguous');
});

it.each([
  ['en', 'yes, send the bob mail'],
  ['de', 'ja, schick die Mail an Bob'],
  ['fr', 'oui, envoie le mail à Bob'],
  ['ja', 'はい、ボブに送ってください'],
  ['tr', "evet, bob'a gönder"],
])('the name of somebody whom the mail does not go to is no word of a yes, in %s: %s', (language, said) => {
  expect(readReply(said, [1], () => TO_CAROL, language).answer.kind).not.toBe('approve');
});
