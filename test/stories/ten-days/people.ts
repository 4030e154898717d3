export const DOMAIN = 'test.local';
/** Of every mailbox. */
export const PASSWORD = 'bicycle-2026';
export const AGENT = `agent@${DOMAIN}`;

export const PEOPLE = {
  olga: `Olga Berg <olga@${DOMAIN}>`,
  bob: `Bob Smith <bob@${DOMAIN}>`,
  carol: `Carol Jones <carol@${DOMAIN}>`,
  lucia: `Lucía Romero <lucia@${DOMAIN}>`,
} as const;

export type Person = keyof typeof PEOPLE;

export const isPerson = (name: string): name is Person => Object.hasOwn(PEOPLE, name);

export const addressOf = (person: Person): string => `${person}@${DOMAIN}`;
