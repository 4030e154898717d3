import { createHash } from 'node:crypto';
import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import type { Question } from './owner-answers/answer-case.ts';
import { ownerAnswers, writtenTo } from './owner-answers/index.ts';
import { LANGUAGES } from './owner-answers/words/index.ts';
import { KINDS } from './owner-answers/words/words.ts';

const paragraphs = ['mia@member.example asked me today:', 'I would send this:', 'Dear Carl', 'Reply "yes" or "no".'];
const question: Question = {
  from: { name: 'Ada', address: 'ada@agents.localhost' },
  replyTo: 'ada+ok-1@agents.localhost',
  subject: 'Ada asks: may I send „Offer“?',
  messageId: '<question@agents.localhost>',
  text: `${paragraphs.join('\n\n')}\n\n-- \nAda\n`,
  html: `<html><body><div style="a">${paragraphs.map((line) => `<p>${line}</p>`).join('\n')}<div>-- <br>Ada</div></div></body></html>`,
  sentAt: new Date('2026-11-24T09:00:00Z'),
};
const written = writtenTo(question, 'owner@example.com');

const parsed = (raw: Buffer) => simpleParser(raw, { skipHtmlToText: true, skipTextToHtml: true });
const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };
const bare = (text: string): string =>
  Object.entries(ENTITIES)
    .reduce((shown, [entity, sign]) => shown.replaceAll(entity, sign), text)
    .replace(/\s+/g, ' ');

describe('the answers of owners', () => {
  it('are as many as are promised, of as many languages and programs, each with a name of its own', () => {
    const of = (expected: string) => ownerAnswers.filter((one) => one.expected === expected);
    expect(of('not_approve').length).toBeGreaterThanOrEqual(2000);
    const plain = of('approve').filter((one) => one.class !== 'yes_alone');
    expect(plain.length).toBeGreaterThanOrEqual(300);
    expect(of('either').length).toBeGreaterThanOrEqual(120);
    expect(new Set(ownerAnswers.map(({ language }) => language)).size).toBe(12);
    expect(new Set(ownerAnswers.map(({ program }) => program)).size).toBeGreaterThanOrEqual(30);
    expect(new Set(ownerAnswers.map(({ name }) => name)).size).toBe(ownerAnswers.length);
  });

  it('say a doubt in at least twelve ways of each kind and language', () => {
    const few = LANGUAGES.flatMap((words) =>
      KINDS.filter((kind) => new Set(words[kind]).size < 12).map((kind) => `${words.language} ${kind}`),
    );
    expect(few).toEqual([]);
  });

  it('are the same bytes each time', () => {
    const hashes = (answers: typeof written) =>
      answers.map(({ raw }) => createHash('sha256').update(raw).digest('hex'));
    expect(hashes(writtenTo(question, 'owner@example.com'))).toEqual(hashes(written));
  });

  it('hold what a reader has to find, however they are encoded', async () => {
    const missing: string[] = [];
    for (const { raw, name, words } of written) {
      const { subject = '', text = '', html } = await parsed(raw);
      const shown = bare([subject, text, html === false ? '' : html].join('\n'));
      if (!words.every((line) => shown.includes(bare(line)))) missing.push(name);
      if (/undefined|\ufffd/.test(shown)) missing.push(`broken: ${name}`);
    }
    expect(missing).toEqual([]);
  });

  it('come from the owner, answer the question and are lines that SMTP takes', async () => {
    for (const { raw, name } of written) {
      const { from, to, inReplyTo } = await parsed(raw);
      expect([from?.value[0]?.address, to && 'value' in to && to.value[0]?.address, inReplyTo], name).toEqual([
        'owner@example.com',
        question.replyTo,
        question.messageId,
      ]);
      const lines = raw.toString('latin1').split('\r\n');
      expect(Math.max(...lines.map((line) => line.length)), name).toBeLessThanOrEqual(998);
      expect(raw.toString('latin1').replaceAll('\r\n', ''), name).not.toMatch(/[\r\n]/);
    }
  });
});
