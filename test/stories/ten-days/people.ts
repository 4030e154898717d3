export const DOMAIN = 'test.local';
/** Of every mailbox. */
export const PASSWORD = 'bicycle-2026';
export const AGENT = `agent@${DOMAIN}`;

/** Who lives in the story: the name that commands call somebody by, and how a mail names them. */
export type People = Readonly<Record<string, string>>;

export const PEOPLE: People = {
  olga: `Olga Berg <olga@${DOMAIN}>`,
  bob: `Bob Smith <bob@${DOMAIN}>`,
  carol: `Carol Jones <carol@${DOMAIN}>`,
  lucia: `Lucía Romero <lucia@${DOMAIN}>`,
};

export const addressOf = (person: string): string => `${person}@${DOMAIN}`;
