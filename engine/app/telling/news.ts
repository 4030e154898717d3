import type { Telling, UpgradePart } from './tell-owners.ts';

/** Set by the step of the databases that an earlier build's workspace goes through; keys with a comma between them. */
const DUE = 'news';
/** The item that is a question as well. */
const OWN_WORDS = 'own_words';
/** Of each item, so many sentences at most. */
const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** What behaves otherwise than in the earlier build that has worked in this workspace; null: it is told, or there was none. */
export async function news({ workspace: { gateway, live } }: Telling): Promise<UpgradePart | null> {
  const kept = await gateway.setting(DUE, () => '');
  if (kept === '') return null;
  const [{ isKey, say }, { namelessBorders }] = await Promise.all([
    import('../../languages/say.ts'),
    import('../../queries/doctor/borders.ts'),
  ]);
  // Whoever has said yes or no to it is not asked again.
  const isOffered = live.current().security.approvals.own_words === 'ask';
  const isDue = (item: string) => isKey(`news.items.${item}.1`) && (item !== OWN_WORDS || isOffered);
  const due = kept.split(',').filter(isDue);
  if (due.length === 0) return null;
  const nameless = namelessBorders(live.current().gateway);
  return {
    id: `notice:news:${due.join(',')}`,
    words: (language) => {
      const sentences = due.flatMap((item) => NUMBERS.map((number) => `news.items.${item}.${number}` as const));
      const told = [
        ...sentences.flatMap((key) => (isKey(key) ? [say(language, key)] : [])),
        ...nameless.map(({ where, value }) => say(language, 'news.noName', { where, value })),
      ];
      const lines = [say(language, 'news.opening'), '', ...told.map((item) => `- ${item}`)];
      return { subject: say(language, 'news.subject'), text: lines.join('\n') };
    },
    ...(due.includes(OWN_WORDS) ? { offers: { setting: OWN_WORDS } } : {}),
    told: () => gateway.changeSetting(DUE, ''),
  };
}

/** Whether that is still to be told: what stands in the same mail is not told before. */
export const isUpgradeUntold = async ({ workspace: { gateway } }: Pick<Telling, 'workspace'>): Promise<boolean> =>
  (await gateway.setting(DUE, () => '')) !== '';
