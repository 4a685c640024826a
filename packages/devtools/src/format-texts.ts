const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const digits = (places: number): Intl.NumberFormat =>
  new Intl.NumberFormat('en', { minimumFractionDigits: places, maximumFractionDigits: places });
const [wholes, tenths, hundredths] = [digits(0), digits(1), digits(2)];
const since = new Intl.NumberFormat('en', {
  minimumFractionDigits: 3,
  maximumFractionDigits: 3,
  signDisplay: 'always',
});
const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
const days = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const costs = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 5 });

/** The smallest cost shown; a smaller one appears as `<$0.00001`. */
const leastCost = 0.00001;

/** The English formats of figures and times. */
export const formatTexts = {
  number: (value: number): string => numbers.format(value),
  cost: (dollars: number): string =>
    dollars > 0 && dollars < leastCost / 2 ? `<${costs.format(leastCost)}` : costs.format(dollars),
  duration(ms: number): string {
    if (ms < 1) return '<1 ms';
    if (ms < 999.5) return `${wholes.format(ms)} ms`;
    const seconds = Math.floor(ms / 1000);
    if (seconds >= 3600)
      return `${wholes.format(Math.floor(seconds / 3600))} h ${Math.floor((seconds % 3600) / 60)} min`;
    if (seconds >= 600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    return `${(ms < 9_995 ? hundredths : tenths).format(ms / 1000)} s`;
  },
  /** The local time of day: `14:03:07.250`. */
  time: (timestamp: number): string => clock.format(timestamp),
  /** The local day and time: `Tue 24 Nov, 14:03`. */
  day: (timestamp: number): string => days.format(timestamp),
  /** A time difference with its sign: `+1.250 s`. */
  since: (ms: number): string => `${since.format(ms / 1000)} s`,
  /** A count with its English noun: `1 call`, `2 calls`. */
  count: (count: number, noun: string): string => `${numbers.format(count)} ${noun}${count === 1 ? '' : 's'}`,
};
