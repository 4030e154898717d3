import { createHash } from 'node:crypto';
import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { bareAnswers } from './bare-quotes/index.ts';
import type { Question } from './owner-answers/answer-case.ts';

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
const write = (): Buffer[] =>
  bareAnswers.map((one, index) => one.write(question, 'owner@example.com', `<answer-${index}@example.com>`));
const shown = (text: string): string =>
  text
    .replace(
      /&(?:lt|gt|quot|amp);/g,
      (entity) => ({ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' })[entity] ?? '',
    )
    .replace(/\s+/g, ' ');

describe('the answers above and below questions that are copied without a mark', () => {
  it('are as many as are promised, in all languages of the study, each with a name of its own', () => {
    const of = (isClear: boolean) => bareAnswers.filter(({ says }) => (says !== null) === isClear);
    expect(of(true).length).toBeGreaterThanOrEqual(250);
    expect(of(false).length).toBeGreaterThanOrEqual(150);
    for (const says of ['yes', 'no']) expect(bareAnswers.filter((one) => one.says === says).length).toBeGreaterThan(90);
    expect(new Set(of(true).map(({ language }) => language)).size).toBe(24);
    expect(new Set(bareAnswers.map(({ program }) => program)).size).toBeGreaterThanOrEqual(15);
    expect(new Set(bareAnswers.map(({ name }) => name)).size).toBe(bareAnswers.length);
  });

  it('are the same bytes each time', () => {
    const hashes = (): string[] => write().map((raw) => createHash('sha256').update(raw).digest('hex'));
    expect(hashes()).toEqual(hashes());
  });

  it('hold what a reader has to find, however they are encoded', async () => {
    const wrong: string[] = [];
    for (const [index, raw] of write().entries()) {
      const { name, words } = bareAnswers[index] ?? { name: '', words: [] };
      const { subject = '', text = '', html } = await simpleParser(raw, { skipHtmlToText: true, skipTextToHtml: true });
      const parts = [text, ...(html ? [html] : [])].map(shown);
      if (!words.every((line) => parts.every((part) => part.includes(shown(line))))) wrong.push(name);
      if (/undefined|\ufffd/.test([subject, ...parts].join('\n'))) wrong.push(`broken: ${name}`);
    }
    expect(wrong).toEqual([]);
  });

  it('are lines that SMTP takes', () => {
    const lines = write().flatMap((raw) => raw.toString('latin1').split('\r\n'));
    expect(lines.filter((line) => line.length > 998 || /[\r\n]/.test(line))).toEqual([]);
  });
});
