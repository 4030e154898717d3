/** Code pages of Windows by the charset numbers of fonts. */
export const CHARSETS: Readonly<Record<number, number>> = {
  ...{ 0: 1252, 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258 },
  ...{ 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250 },
};
const NAMES: Readonly<Record<number, string>> = {
  ...{
    874: 'windows-874',
    932: 'shift_jis',
    936: 'gbk',
    949: 'euc-kr',
    950: 'big5',
    10000: 'macintosh',
    65001: 'utf-8',
  },
  ...{ 437: 'windows-1252', 850: 'windows-1252' },
};
/** The name of a code page, as decoders know it. */
export const nameOf = (codePage: number): string => NAMES[codePage] ?? `windows-${codePage}`;
