const tokens = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const exact = new Intl.NumberFormat('en');
const percent = new Intl.NumberFormat('en', { style: 'percent' });

/** The English texts of the line about tokens and money. They load with it. */
export const usageTexts = {
  /** The name of the line for screen readers. */
  label: 'Tokens and cost',
  /** A number of tokens in a few signs, e.g. `18k`. */
  short: (count: number): string => tokens.format(count).toLowerCase(),
  number: (count: number): string => exact.format(count),
  percent: (share: number): string => percent.format(share),
  /** Money in the currency of the prices of the application. */
  money: (amount: number): string => `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`,
  /** The tokens of the conversation, or of the window of its model. */
  tokens: (count: string): string => `${count} tokens`,
  tokensOf: (count: string, most: string): string => `${count} of ${most}`,
  cached: (share: string): string => `cached ${share}`,
  /** `paid` is the share at which the input was paid; null when a price is unknown. */
  input: (count: string, cached: string, paid: string | null): string =>
    `Of ${count} tokens sent, ${cached} were read from a cache.${
      paid === null ? '' : ` All together they cost ${paid} of their price without one.`
    }`,
  /** Tokens and money of earlier answers; `cost` is null when it is not known. */
  before: (count: string, cost: string | null): string =>
    `Earlier answers: ${count} tokens${cost === null ? '' : `, ${cost}`}.`,
  estimated: 'Some figures are estimates.',
  calls: 'Calls of the last answer',
  models: 'By model',
  call: 'Call',
  model: 'Model',
  defaultModel: 'default model',
  in: 'In',
  out: 'Out',
  reasoning: 'Reasoning',
  read: 'Cached',
  cost: 'Cost',
  /** The labels of the bars of a budget. */
  budget: {
    steps: (spent: string, limit: string): string => `${spent} of ${limit} steps`,
    tokens: (spent: string, limit: string): string => `${spent} of ${limit} tokens`,
    seconds: (spent: string, limit: string): string => `${spent} of ${limit} seconds`,
    cost: (spent: string, limit: string): string => `${spent} of ${limit}`,
    sessionTokens: (spent: string, limit: string): string => `${spent} of ${limit} tokens of this chat`,
    sessionCost: (spent: string, limit: string): string => `${spent} of ${limit} for this chat`,
  },
};

export type UsageTexts = Readonly<typeof usageTexts>;
