import { custom, type Shape } from '../../shape/index.js';

const instantWords = 'a time as RFC 3339 has it, such as 2026-11-21T04:00:00.317042Z';
/** A time in UTC or with an offset, as whole microseconds since 1970. */
export const instant: Shape<number> = custom(
  { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?([Zz]|[+-]\\d\\d:\\d\\d)$' },
  (r) => {
    const [, date, fraction = '', zone] =
      /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/.exec(r.string(instantWords)) ?? [];
    const millis = Date.parse(`${date}${zone}`.toUpperCase());
    if (Number.isNaN(millis) || millis < 0) throw r.mustBe(`${instantWords}, from 1970 on`);
    return millis * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
  },
);
