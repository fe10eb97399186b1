#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace hone::io {

/// One GET request; redirects are followed, and the token is not sent to other hosts.
struct HttpRequest {
  std::string url, token;
  int64_t range_begin = 0;  // > 0: only the bytes from there on are asked for
  bool head = false;        // headers only, no redirect is followed
  std::function<void(std::string_view)> on_bytes;
};

/// Status and headers (names in lower case) of the last response.
struct HttpResponse {
  long status = 0;
  std::map<std::string, std::string> headers;
};

/// Performs the request; a failure of the network is an Error of kind `failed`, a status is not.
/// Bytes of error pages are not given to on_bytes.
HttpResponse http_get(const HttpRequest& request);

}  // namespace hone::io
