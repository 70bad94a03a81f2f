// Hands a file over in pieces: the server asks for each. One upload at a time, the latest.
function uploader(model) {
  let file = null, upload = 0
  model.on("msg:custom", async message => {
    if (!file || message.upload !== upload) return
    try {
      const data = await file.slice(message.at, message.at + model.piece).arrayBuffer()
      model.send_msg({type: "piece", upload: message.upload, at: message.at, data})
    } catch { model.send_msg({type: "unreadable", upload: message.upload}) }
  })
  return {
    begin: chosen => {
      if (!chosen) return
      file = chosen
      upload += 1 + Math.floor(Math.random() * 1e6) // an older upload's pieces are not taken for this one's
      model.send_msg({type: "begin", upload, name: file.name, size: file.size})
    },
    forget: () => { file = null },
  }
}

