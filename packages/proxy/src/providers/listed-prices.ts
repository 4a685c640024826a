// Written by `npm run prices`. Corrections belong into scripts/prices/price-overrides.json.

/** The day on which the list was written. */
export const day = '2026-11-27';

/** The places of the figures. */
export const sources: readonly string[] = [
  'https://ai.google.dev/gemini-api/docs/pricing',
  'https://developers.openai.com/api/docs/models/gpt-5.6',
  'https://developers.openai.com/api/docs/models/gpt-6.1-sol',
  'https://developers.openai.com/api/docs/models/gpt-6.1-terra',
  'https://github.com/pydantic/genai-prices (0.1.8)',
  'https://platform.claude.com/docs/en/about-claude/pricing',
  'https://platform.claude.com/docs/en/models/haiku-5-5/overview',
  'https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide',
];

/** Prices in the form of `VITRINE_PRICES`, one model in each line. */
export const lines = `
anthropic:claude-haiku-5-5=0.1/0.5/0.01/0.125/0.2>100000:0.5/2.5/0.05/0.625/1
anthropic:claude-opus-5-5=4/20/0.2/5/8
anthropic:claude-sonnet-5-5=2/10/0.1/2.5/4
anthropic:claude-fable-5-2=8/40/0.2/10/16
anthropic:claude-fable-5-1=10/50/0.25/12.5/20
anthropic:claude-fable-5=10/50/1/12.5/20
anthropic:claude-opus-5=5/25/0.5/6.25/10
anthropic:claude-sonnet-5=2/10/0.2/2.5/4
anthropic:claude-opus-4-8=5/25/0.5/6.25/10
anthropic:claude-opus-4-7=5/25/0.5/6.25/10
anthropic:claude-opus-4-6=5/25/0.5/6.25/10
anthropic:claude-sonnet-4-6=3/15/0.3/3.75/6
anthropic:claude-haiku-4-5=1/5/0.1/1.25/2
anthropic:claude-opus-4-5=5/25/0.5/6.25/10
anthropic:claude-sonnet-4-5=3/15/0.3/3.75/6>200000:6/22.5/0.6/7.5/12
anthropic:claude-opus-4-1=15/75/1.5/18.75/30
anthropic:claude-opus-4-0=15/75/1.5/18.75/30
anthropic:claude-sonnet-4-0=3/15/0.3/3.75/6
openai:gpt-6.1-sol=2/10/0.1/2.5/5>272000:4/15/0.2/5/10
openai:gpt-6.1-terra=1/5/0.05/1.25/2.5>272000:2/7.5/0.1/2.5/5
openai:gpt-6-astra=10/50/1/12.5>271999:20/75/2/25
openai:gpt-6-luna=0.1/0.5/0.01/0.125>272000:0.2/0.75/0.02/0.25
openai:gpt-6-sol=2/10/0.2/2.5>272000:4/15/0.4/5
openai:gpt-5.6=4/20/0.4/5>271999:8/30/0.8/10
openai:gpt-5.6-luna=0.2/1.2/0.02/0.25>271999:0.4/1.8/0.04/0.5
openai:gpt-5.6-sol=4/20/0.4/5>271999:8/30/0.8/10
openai:gpt-5.6-terra=2/12/0.2/2.5>271999:4/18/0.4/5
openai:gpt-5.5=5/30/0.5>271999:10/45/1
openai:gpt-5.4=2.5/15/0.25>271999:5/22.5/0.5
openai:gpt-5.4-mini=0.75/4.5/0.075
openai:gpt-5.4-nano=0.2/1.25/0.02
openai:gpt-5.4-pro=30/180>271999:60/270
openai:gpt-5.2=1.75/14/0.175
openai:gpt-5.2-pro=21/168
openai:gpt-5.1=1.25/10/0.125
openai:gpt-5=1.25/10/0.125
openai:gpt-5-mini=0.25/2/0.025
openai:gpt-5-nano=0.05/0.4/0.005
openai:gpt-5-pro=15/120
openai:gpt-4.1=2/8/0.5
openai:gpt-4.1-mini=0.4/1.6/0.1
openai:gpt-4.1-nano=0.1/0.4/0.025
openai:gpt-4o=2.5/10/1.25
openai:gpt-4o-mini=0.15/0.6/0.075
openai:o4-mini=1.1/4.4/0.275
openai:o3-mini=1.1/4.4/0.55
google:gemini-4-argon=4/20/0.2
google:gemini-4-carbon=4/20/0.2
google:gemini-4-hydrogen=1.5/7.5/0.075
google:gemini-3.8-flash=0.75/3.75/0.075
google:gemini-3.7-flash=0.75/3.75/0.075
google:gemini-3.6-flash=0.75/3.75/0.075
google:gemini-3.5-flash=1.5/9/0.15
google:gemini-3.5-flash-lite=0.3/2.5/0.03
google:gemini-2.5-flash=0.3/2.5/0.03
google:gemini-2.5-flash-lite=0.1/0.4/0.01
google:gemini-2.5-pro=1.25/10/0.125>200000:2.5/15/0.25
google:gemini-2.0-flash=0.1/0.4/0.025
google:gemini-2.0-flash-lite=0.075/0.3
`;
