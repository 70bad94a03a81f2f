// What a class adds to a question: how many chose what, for the teacher and, once she shows the answer, for all.
const optionsOf = model => model.poll.options ?? model.lesson.options // a class is told which is right when its teacher says so

function showPoll(card, model) {
  const question = card.querySelector(".question"), {leads, mine, counts, of, revealed} = model.poll
  const held = question?.querySelector(".poll :focus")
  question?.querySelector(".poll")?.remove()
  card.querySelector(":scope > footer").hidden = leads === false // the teacher turns the pages
  if (!question || leads === undefined) return
  if (!leads && !revealed) card.querySelectorAll(".chip").forEach((chip, k) => chip.setAttribute("aria-pressed", k === mine))
  const answered = counts.reduce((sum, n) => sum + n, 0), most = Math.max(1, answered)
  const row = ([text, right], k) => `<li class="${revealed && right ? "right" : ""}"><span class="text">${text}${revealed && right ? icon("check") : ""}</span>
    <i class="track"><i style="width:${100 * counts[k] / most}%"></i></i><b>${counts[k]}</b></li>`
  const rows = leads || revealed ? `<ol aria-label="Answers of the class">${optionsOf(model).map(row).join("")}</ol>` : ""
  const words = leads ? `${answered} of ${of} ${of === 1 ? "student has" : "students have"} answered${revealed ? "; they see which is right" : ""}.`
    : revealed ? "" : mine >= 0 ? "Your answer is in. You can change it until your teacher shows which is right." : "Choose an answer; nobody is asked for a name."
  const poll = element(`<div class="poll">${rows}<div class="line-under"><span role="status">${words}</span>${leads && !revealed ? `<button class="btn reveal">Show which is right</button>` : ""}</div></div>`)
  question.append(poll)
  poll.querySelector(".reveal")?.addEventListener("click", () => model.send_msg({type: "reveal"}))
  if (held) (poll.querySelector(".reveal") ?? card.querySelector("h2")).focus({preventScroll: true}) // not lost with each answer
}
