import type { NewsKey } from '../../wording/to-owners/news.ts';
import type { Telling, UpgradePart } from './tell-owners.ts';

/** Set by the step of the databases that an earlier build's workspace goes through; keys with a comma between them. */
const DUE = 'news';

/** What behaves otherwise than in the earlier build that has worked in this workspace; null: it is told, or there was none. */
export async function news({ workspace: { gateway, live } }: Telling): Promise<UpgradePart | null> {
  const kept = await gateway.setting(DUE, () => '');
  if (kept === '') return null;
  const [{ NEWS }, { namelessBorders }] = await Promise.all([
    import('../../wording/to-owners/news.ts'),
    import('../../queries/doctor/borders.ts'),
  ]);
  const isNews = (key: string): key is NewsKey => Object.hasOwn(NEWS.en.items, key);
  const due = kept.split(',').filter(isNews);
  if (due.length === 0) return null;
  const nameless = namelessBorders(live.current().gateway);
  return {
    id: `notice:news:${due.join(',')}`,
    words: (language) => {
      const { subject, opening, items, noName } = NEWS[language];
      const told = [...due.flatMap((key) => items[key]), ...nameless.map(({ where, value }) => noName(where, value))];
      return { subject, text: [opening, '', ...told.map((item) => `- ${item}`)].join('\n') };
    },
    told: () => gateway.changeSetting(DUE, ''),
  };
}

/** Whether that is still to be told: what stands in the same mail is not told before. */
export const isUpgradeUntold = async ({ workspace: { gateway } }: Pick<Telling, 'workspace'>): Promise<boolean> =>
  (await gateway.setting(DUE, () => '')) !== '';
