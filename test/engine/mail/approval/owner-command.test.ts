import { describe, expect, it } from 'vitest';
import { readOwnerCommand } from '../../../../engine/mail/approval/owner-command.ts';

const read = (subject: string, newText = '') => readOwnerCommand({ subject, newText });

describe('an owner who wants everything to stop', () => {
  it.each([
    ['STOP', ''],
    ['Stop', ''],
    ['stop!', ''],
    ['Re: STOP', ''],
    ['STOP everything now', ''],
    ['Hello', 'STOP\nplease'],
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
