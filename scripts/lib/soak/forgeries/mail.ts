/** A mail as bytes, one character each: header fields as they stand, folds included, without their last line end. */
export interface Mail {
  readonly fields: readonly string[];
  readonly body: string;
}

export const bytesOf = ({ fields, body }: Mail): Buffer =>
  Buffer.from(`${fields.join('\r\n')}\r\n\r\n${body}`, 'latin1');

/** Text as the bytes that UTF-8 makes of it. */
export const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Lower case; empty for what is no field. */
export const nameOf = (field: string): string => /^([!-9;-~]+)[ \t]*:/.exec(field)?.[1]?.toLowerCase() ?? '';

export const bodyOfField = (field: string): string => field.slice(field.indexOf(':') + 1);

/** The one that a signer takes first: the lowest. */
export const lastField = (mail: Mail, name: string): string | undefined =>
  mail.fields.findLast((field) => nameOf(field) === name);

export const withFields = (mail: Mail, fields: readonly string[]): Mail => ({ ...mail, fields });

export const onTop = (mail: Mail, ...fields: readonly string[]): Mail => withFields(mail, [...fields, ...mail.fields]);

/** Words and numbers alone: how a reader lays a text out is its own matter. */
export const wordsOf = (text: string): string =>
  (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ');
