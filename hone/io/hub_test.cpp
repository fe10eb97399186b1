#include "hone/io/hub.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <thread>

#include "hone/base/check.h"
#include "hone/base/json.h"

/// Against a server on the loopback that speaks the part of the hub's API that pull uses.
namespace hone::io {
namespace {

class HubServer {
 public:
  std::map<std::string, std::string> files;
  std::string token;                    // required where not empty
  std::string broken_hash_of;           // this file's ETag is wrong
  std::atomic<int64_t> cut_after = -1;  // bytes after which a download breaks off, once
  std::atomic<int> downloads = 0;
  std::atomic<int64_t> bytes_sent = 0;

  HubServer() {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }

  ~HubServer() {
    stop_ = true;
    thread_.join();
    ::close(socket_);
  }

  std::string endpoint() const { return fmt::format("http://127.0.0.1:{}", port_); }

 private:
  void serve() {
    while (!stop_) {
      pollfd waiting{socket_, POLLIN, 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int client = ::accept(socket_, nullptr, nullptr);
      std::string request;
      char buffer[4096];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t count = ::recv(client, buffer, sizeof buffer, 0);
        if (count <= 0) break;
        request.append(buffer, count);
      }
      answer(client, request);
      ::close(client);
    }
  }

  void send(int client, const std::string& bytes) {
    ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  void answer(int client, const std::string& request) {
    const std::string path = request.substr(
        request.find(' ') + 1, request.find(' ', request.find(' ') + 1) - request.find(' ') - 1);
    if (!token.empty() && request.find("Bearer " + token) == std::string::npos) {
      return send(client, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
    }
    if (path == "/api/models/org/name/revision/main") {
      Json siblings = Json::array();
      for (const auto& [name, bytes] : files) siblings.push_back({{"rfilename", name}});
      const std::string body = Json{{"sha", "c0ffee"}, {"siblings", siblings}}.dump();
      return send(client, fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}",
                                      body.size(), body));
    }
    const std::string prefix = "/org/name/resolve/c0ffee/";
    const auto file = files.find(path.starts_with(prefix) ? path.substr(prefix.size()) : "");
    if (file == files.end()) {
      return send(client, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    }
    answer_file(client, request, file->first, file->second);
  }

  void answer_file(int client, const std::string& request, const std::string& name,
                   const std::string& bytes) {
    const std::string etag = sha256(name == broken_hash_of ? "other" : bytes);
    const size_t range = request.find("Range: bytes=");
    const size_t begin = range == std::string::npos ? 0 : std::stoul(request.substr(range + 13));
    if (begin >= bytes.size() && begin > 0) {
      return send(client, "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n");
    }
    const std::string range_header = begin > 0 ? fmt::format("Content-Range: bytes {}-{}/{}\r\n",
                                                             begin, bytes.size() - 1, bytes.size())
                                               : "";
    send(client, fmt::format("HTTP/1.1 {}\r\n{}X-Linked-Etag: \"{}\"\r\nContent-Length: {}\r\n\r\n",
                             begin > 0 ? "206 Partial Content" : "200 OK", range_header, etag,
                             bytes.size() - begin));
    if (request.starts_with("HEAD")) return;
    ++downloads;
    const int64_t cut = cut_after.exchange(-1);
    const std::string rest = bytes.substr(begin, cut >= 0 ? cut : std::string::npos);
    bytes_sent += static_cast<int64_t>(rest.size());
    send(client, rest);
  }

  int socket_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

class Hub : public ::testing::Test {
 protected:
  Hub() : cache_(std::filesystem::temp_directory_path() / fmt::format("hone_hub_{}", ::getpid())) {
    std::filesystem::remove_all(cache_);
    server_.files = {{"config.json", "{}"},
                     {"model.safetensors", std::string(300000, 'w') + "end"},
                     {"notes.md", "not needed"}};
  }
  ~Hub() override { std::filesystem::remove_all(cache_); }

  PullOptions options() const {
    return {.repository = "org/name", .endpoint = server_.endpoint(), .token = "", .cache = cache_};
  }

  std::string refusal(PullOptions options) const {
    try {
      pull(std::move(options));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  HubServer server_;
  Path cache_;
};

TEST_F(Hub, FilesArriveInTheCacheLayoutAndOnlyOnce) {
  const Path snapshot = pull(options());
  EXPECT_EQ(snapshot, cache_ / "models--org--name/snapshots/c0ffee");
  EXPECT_EQ(read_file(snapshot / "config.json"), "{}");
  EXPECT_EQ(read_file(snapshot / "model.safetensors"), server_.files["model.safetensors"]);
  EXPECT_TRUE(std::filesystem::is_symlink(snapshot / "model.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(snapshot / "notes.md"));
  EXPECT_EQ(read_file(cache_ / "models--org--name/refs/main"), "c0ffee");
  const int downloads = server_.downloads;
  pull(options());
  EXPECT_EQ(server_.downloads, downloads);
}

TEST_F(Hub, ABrokenDownloadGoesOnWhereItStopped) {
  server_.files.erase("config.json");
  server_.cut_after = 100000;
  EXPECT_NE(refusal(options()), "no error");
  const Path snapshot = pull(options());
  EXPECT_EQ(read_file(snapshot / "model.safetensors"), server_.files["model.safetensors"]);
  EXPECT_EQ(server_.bytes_sent, 300003);
}

TEST_F(Hub, AWrongOrTooLongPartIsReplaced) {
  const std::string etag = sha256(server_.files["model.safetensors"]);
  const Path part = cache_ / "models--org--name/blobs" / (etag + ".incomplete");
  write_file(part, std::string(400000, 'x'));
  EXPECT_EQ(read_file(pull(options()) / "model.safetensors"), server_.files["model.safetensors"]);
}

TEST_F(Hub, AFileWithAnotherHashNeverGetsItsName) {
  server_.broken_hash_of = "model.safetensors";
  EXPECT_NE(refusal(options()).find("does not have the hash"), std::string::npos);
  EXPECT_FALSE(
      std::filesystem::exists(cache_ / "models--org--name/snapshots/c0ffee/model.safetensors"));
}

TEST_F(Hub, RefusalsSayWhatToDo) {
  auto wrong = options();
  wrong.repository = "org/other";
  EXPECT_NE(refusal(wrong).find("404"), std::string::npos);
  wrong.repository = "justname";
  EXPECT_NE(refusal(wrong).find("ORG/NAME"), std::string::npos);
  server_.token = "secret";
  auto guest = options();
  guest.token = "nobody";
  EXPECT_NE(refusal(guest).find("HF_TOKEN"), std::string::npos);
  guest.token = "secret";
  EXPECT_EQ(refusal(guest), "no error");
  server_.files["../evil.json"] = "{}";
  EXPECT_NE(refusal(guest).find("outside the cache"), std::string::npos);
}

}  // namespace
}  // namespace hone::io
