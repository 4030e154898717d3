import { describe, expect, it } from 'vitest';
import { besideCommand, readOwnerCommand } from '../../../../engine/mail/approval/owner-command.ts';

const FRESH = { headers: [], forwardedText: '', attachments: [] };
const written = (text: string) => [{ kind: 'written', text }] as const;
const read = (subject: string, text = '') => readOwnerCommand({ ...FRESH, subject, pieces: written(text) });

describe('an owner who wants everything to stop', () => {
  it.each([
    ['STOP', ''],
    ['Stop', ''],
    ['stop!', ''],
    ['STOP', 'The mail to Jana, too.'],
    ['Hello', 'STOP\nplease'],
    ['Hello', 'STOP everything now'],
    ['Re: your parcel', 'STOP'],
    ['Hello', '\n\nstop.\n'],
  ])('is understood: %j %j', (subject, text) => expect(read(subject, text)).toBe('stop'));

  it.each([
    ['Stop by on Friday', ''],
    ['Non-stop flights', 'Stopping by later'],
    ['STOPWATCH', ''],
    ['Hello', 'Please do not STOP'],
    ['Hello', '> STOP'],
    ['', ''],
  ])('is not read into other mail: %j %j', (subject, text) => expect(read(subject, text)).toBe(null));

  it('can let it go on', () => expect(read('RESUME')).toBe('resume'));
});

describe('M1: the word in a subject', () => {
  it.each([
    'Re: STOP',
    'AW: STOP loss order 17',
    'Fwd: STOP! Your parcel is waiting',
    'STOP loss order 17',
    'Fwd: RESUME of Jane Doe',
    'RESUME of Jane Doe',
    'RESUME now',
  ])('is no command unless it is all of it, and this mail began it: %j', (subject) => expect(read(subject)).toBeNull());

  it('is none in a mail that answers another', () => {
    const mail = { ...FRESH, subject: 'STOP', pieces: written('See below.') };
    expect(readOwnerCommand(mail)).toBe('stop');
    // Also one whose id cannot be read.
    for (const value of ['<a@b.test>', '<a b@c@b.test>'])
      for (const name of ['in-reply-to', 'references'])
        expect(readOwnerCommand({ ...mail, headers: [{ name, value }] })).toBeNull();
    expect(readOwnerCommand({ ...mail, headers: [{ name: 'references', value: ' ' }] })).toBe('stop');
  });

  it('resumes nothing above a mail that is handed on, and stops there', () => {
    const mail = { ...FRESH, pieces: written('See below.'), forwardedText: 'Your order' };
    expect(readOwnerCommand({ ...mail, subject: 'RESUME' })).toBeNull();
    expect(readOwnerCommand({ ...mail, subject: 'STOP' })).toBe('stop');
  });

  it('is none of a meeting, which programs make of a mail under its subject', () => {
    const mail = { ...FRESH, subject: 'STOP', pieces: written('') };
    expect(readOwnerCommand({ ...mail, attachments: [{ type: 'text/calendar' }] })).toBeNull();
    expect(readOwnerCommand({ ...mail, attachments: [{ type: 'text/csv' }] })).toBe('stop');
  });

  it('counts on the first line only where it was written', () => {
    const pieces = [
      { kind: 'quoted', text: '> RESUME' },
      { kind: 'written', text: 'What does this mean?' },
    ] as const;
    expect(readOwnerCommand({ ...FRESH, subject: 'Re: x', pieces })).toBeNull();
  });
});

describe('RESUME', () => {
  it.each(['', 'RESUME', 'RESUME\n\nThanks\nMaria', 'Maria Lind\nHead of Finance'])(
    'is all that a mail says: %j',
    (typed) => expect(besideCommand(typed)).toBeNull(),
  );
  it.each(['RESUME\nbut not before Monday', 'No wait, not yet', 'RESUME\n\nAnd then order the chairs.'])(
    'is not all that a mail says: %j',
    (typed) => expect(besideCommand(typed)).not.toBeNull(),
  );
});
