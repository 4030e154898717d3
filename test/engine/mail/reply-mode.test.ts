import { describe, expect, it } from 'vitest';
import { replyMode } from '../../../engine/mail/classify.ts';

const reply = (mode: 'send' | 'draft', ...rules: { sender: string; mode: 'send' | 'draft' }[]) =>
  ({ recipients: 'sender', receipt: 'effects', mode, rules }) as const;
const proven = (sender: string) => ({ sender, isProven: true });

describe('an answer', () => {
  it('is sent or lies in Drafts as the persona says', () => {
    expect(replyMode(reply('send'), proven('mia@member.example'))).toBe('send');
    expect(replyMode(reply('draft'), proven('mia@member.example'))).toBe('draft');
  });

  it('follows the first rule that names its sender', () => {
    const rules = reply(
      'send',
      { sender: 'mia@member.example', mode: 'send' },
      { sender: '*@member.example', mode: 'draft' },
    );
    expect(replyMode(rules, proven('Mia@Member.example'))).toBe('send');
    expect(replyMode(rules, proven('ben@member.example'))).toBe('draft');
    expect(replyMode(rules, proven('you@elsewhere.example'))).toBe('send');
  });

  it('does not leave because somebody claims to be an address', () => {
    const claimed = { sender: 'mia@member.example', isProven: false };
    expect(replyMode(reply('draft', { sender: '*', mode: 'send' }), claimed)).toBe('draft');
    expect(replyMode(reply('send', { sender: '*', mode: 'draft' }), claimed)).toBe('draft');
  });
});
